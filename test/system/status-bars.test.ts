import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocksBelow, readPage } from "../support/docs-pages.js";
import { createInstallation, type Installation, PROGRAM } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { openTerminal } from "./support/tmux.js";

/** The lines of docs/status-bars.md, with an event that begins in an hour and has every character that a bar obeys. */

const TITLE = '#[fg=red]C# %{A1:id:}<b>&"\u201d\n#(id)';
const PAGE = readPage("status-bars");

/** `calctl` on the PATH, the event, and the templates of the page where it says that they are. */
async function createBar(): Promise<Installation> {
  const { home, env } = createInstallation();
  const installation = createInstallation({ HOME: home, PATH: `${home}/bin:${env["PATH"]}` });
  const folder = join(home, ".config/calctl");
  for (const each of [folder, join(home, "bin")]) mkdirSync(each, { recursive: true });
  const script = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
  writeFileSync(join(home, "bin/calctl"), script, { mode: 0o755 });
  for (const bar of ["tmux", "waybar", "polybar"])
    writeFileSync(join(folder, `${bar}.liquid`), blockOf(bar, "liquid"));
  const input = JSON.stringify({ title: TITLE, location: "Room <4>" });
  const flags = ["--input", "-", "--start", "+1h", "--duration", "1h", "-q"];
  const { stderr } = await installation.runWith({ stdin: input }, "events", "create", ...flags);
  expect(stderr).toBe("");
  return installation;
}

function blockOf(bar: string, language: string): string {
  const text = blocksBelow(PAGE, bar).find((block) => block.language === language)?.text;
  if (text === undefined) throw new Error(`there is no ${language} for ${bar}`);
  return text;
}

/** What the shell prints that a bar starts. */
async function lineOf(bar: string, command: RegExp): Promise<string> {
  const installation = await createBar();
  const { stdout, stderr } = await installation.shell(
    `unset -f calctl; ${command.exec(blockOf(bar, bar === "waybar" ? "json" : "ini"))?.[1]}`,
  );
  expect(stderr).toBe("");
  return stdout;
}

const ONE_LINE = TITLE.replace("\n", "").slice(0, 40);

test("waybar gets JSON with escaped markup", async () => {
  const line = await lineOf("waybar", /"exec": "(.*)"/);
  expect(line.match(/\n/g)).toHaveLength(1);
  expect(JSON.parse(line)).toEqual({
    text: expect.stringMatching(/^\d\d:\d\d #\[fg=red\]C# %\{A1:id:\}&lt;b&gt;&amp;&#34;”\n#\(id\)$/),
    tooltip: "Room &lt;4&gt;",
    class: "ahead",
  });
});

test("polybar gets one line without buttons", async () => {
  const line = await lineOf("polybar", /^exec = (.*)$/m);
  expect(line.slice("15:30 ".length)).toBe(`${ONE_LINE.replace("%{", "% {")}\n`);
});

test("i3blocks gets one line", async () => {
  const line = await lineOf("i3blocks", /^command=(.*)$/m);
  expect(line.slice("15:30 ".length)).toBe(`${ONE_LINE}\n`);
});

describeWithSystem("tmux", "tmux", () => {
  test("shows the title as it is", async () => {
    const { home, env } = await createBar();
    const file = join(home, ".tmux.conf");
    writeFileSync(file, blockOf("tmux", "tmux"));
    const command = `env -u TMUX TMUX_TMPDIR="${home}" tmux -f "${file}" new-session cat`;
    const terminal = openTerminal({ env }, { columns: 100, rows: 10, command });
    await terminal.shows(ONE_LINE);
  });
});
