import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createInstallation, type Installation, TOMORROW } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { timesRun } from "./support/coverage.js";
import { openTerminal } from "./support/tmux.js";

/** What of prompts needs a real terminal or the built program; test/cli/prompts.test.ts has the questions. */

async function titles({ run }: Installation): Promise<string> {
  return (await run("events", "list", "--days", "7", "--fields", "title")).stdout;
}

describeWithSystem("tmux", "a prompt", () => {
  test.each([["Escape"], ["C-c"]])(
    "%s leaves with exit 130, an unchanged terminal and no output",
    async (key) => {
      const installation = createInstallation({ TZ: "UTC" });
      const times = ["--start", `${TOMORROW}T12:00`, "--duration", "1h"];
      await installation.run("events", "create", "--title", "Dentist", ...times);
      const terminal = openTerminal(installation, { columns: 80 });
      terminal.type(`stty -a > "$HOME/before"; calctl events delete > "$HOME/out"; echo "exit $?"`, "Enter");
      await terminal.shows("Dentist");
      terminal.type(key);
      await terminal.shows("exit 130");
      terminal.type(`stty -a > "$HOME/after"; echo done`, "Enter");
      await terminal.shows("\ndone");
      const read = (name: string) => readFileSync(join(installation.home, name), "utf8");
      expect({ out: read("out"), tty: read("after") }).toEqual({ out: "", tty: read("before") });
      expect(await titles(installation)).toBe("Dentist\n");
    },
  );

  test("comes back after Ctrl-Z and fg", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    await installation.run("whoami");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type("calctl add Lunch tomorrow 12-13 --fields title", "Enter");
    for (const _time of [1, 2]) {
      await terminal.shows("Create it?");
      terminal.type("C-z");
      await terminal.shows("Stopped");
      terminal.start("fg");
    }
    await terminal.shows("Create it?");
    terminal.type("Enter");
    await terminal.shows("Lunch\n");
    expect(await titles(installation)).toBe("Lunch\n");
  });
});

describeWithSystem("script", "on a terminal, nothing is asked", () => {
  test.each([
    ["with a pipe as stdin", "true | calctl events get"],
    ["with a file as stderr", 'calctl events get 2> "$HOME/err"; code=$?; cat "$HOME/err"; exit $code'],
  ])("%s", async (_, line) => {
    const { exitCode, stdout } = await createInstallation().startOnTerminal(line).ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: expect.stringContaining("needs ID") });
  });
});

test.each<readonly string[]>([["events", "list"], ["events", "get", "x"], ["events", "create"], ["--help"]])(
  "nothing that asks is loaded by %j",
  async (...argv) => {
    const { home, runWith } = createInstallation();
    const folder = join(home, "coverage");
    mkdirSync(folder);
    await runWith({ env: { NODE_V8_COVERAGE: folder } }, ...argv);
    for (const text of ["You must provide a valid value", "The same without questions"])
      expect(timesRun(folder, text)).toBe(0);
  },
);
