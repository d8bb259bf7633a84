import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createInstallation, type Installation, TOMORROW } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { timesRun } from "./support/coverage.js";
import { openTerminal } from "./support/tmux.js";

/** Editors that have the terminal, and Ctrl-C meanwhile; test/commands/events/edit.test.ts has what is read and written. */

interface EditWorld extends Installation {
  readonly id: string;
  read(): Promise<Record<string, unknown>>;
}

async function createWorld(): Promise<EditWorld> {
  const installation = createInstallation({ TZ: "UTC" });
  const TMPDIR = join(installation.home, "tmp");
  mkdirSync(TMPDIR);
  const times = ["--start", `${TOMORROW}T12:00`, "--duration", "1h", "--location", "Home"];
  const created = await installation.run("events", "create", "--title", "Dentist", ...times, "-o", "json");
  const { id } = JSON.parse(created.stdout);
  return {
    ...installation,
    env: { ...installation.env, TMPDIR },
    id,
    read: async () => JSON.parse((await installation.run("events", "get", id, "-o", "json")).stdout),
  };
}

test("the file is only its owner's, and stdout of the editor is not the program's", async () => {
  const { home, id, runWith } = await createWorld();
  const editor = join(home, "editor");
  const script = `echo noise; stat -c %a "$1" "$(dirname "$1")" > "$HOME/modes"`;
  writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { VISUAL: editor };
  const { stdout } = await runWith({ env }, "events", "update", id, "--edit", "--fields", "location");
  expect(stdout).toBe("Home\n");
  expect(readFileSync(join(home, "modes"), "utf8")).toBe("600\n700\n");
});

test("nothing of it is loaded by an update with flags", async () => {
  const { home, id, runWith } = await createWorld();
  const folder = join(home, "coverage");
  mkdirSync(folder);
  await runWith({ env: { NODE_V8_COVERAGE: folder } }, "events", "update", id, "--title", "x");
  for (const text of ["Map keys must be unique", "Change what should change"])
    expect(timesRun(folder, text)).toBe(0);
});

describeWithSystem("tmux", "on a terminal", () => {
  test.each([
    ["handles it goes on", `trap 'sed -i s/Home/Mine/ "$1"; exit 0' INT`, "Write these changes?"],
    ["ends by it is exit 130", "true", "exit 130"],
  ])("Ctrl-C in an editor that %s", async (_, trap, end) => {
    const world = await createWorld();
    const editor = join(world.home, "editor");
    writeFileSync(editor, `#!/bin/sh\n${trap}\necho ready\nread line\n`, { mode: 0o755 });
    const terminal = openTerminal({ ...world, env: { ...world.env, EDITOR: editor } }, { columns: 80 });
    terminal.type(`calctl events update ${world.id} --edit --fields location; echo "exit $?"`, "Enter");
    await terminal.shows("ready");
    terminal.type("C-c");
    await terminal.shows(end);
    if (end === "exit 130") {
      expect(readdirSync(join(world.home, "tmp"))).toEqual([]);
      return;
    }
    terminal.type("Enter");
    await terminal.shows("exit 0");
    expect(await world.read()).toMatchObject({ location: "Mine" });
  });

  test("Ctrl-C at the question after the editor still ends the command", async () => {
    const world = await createWorld();
    const env = { ...world.env, EDITOR: "sed -i s/Home/Mine/" };
    const terminal = openTerminal({ ...world, env }, { columns: 80 });
    terminal.type(`calctl events update ${world.id} --edit; echo "exit $?"`, "Enter");
    await terminal.shows("Write these changes?");
    terminal.type("C-c");
    await terminal.shows("exit 130");
  });

  test("a real editor draws on the terminal, also where stdout is a file", async () => {
    const world = await createWorld();
    const env = { ...world.env, EDITOR: "less", LESSSECURE: "1" };
    const terminal = openTerminal({ ...world, env }, { columns: 80 });
    terminal.type(
      `calctl events update ${world.id} --edit --fields location > "$HOME/out"; echo "exit $?"`,
      "Enter",
    );
    await terminal.shows("location: Home");
    terminal.type("q");
    await terminal.shows("exit 0");
    expect(terminal.screen()).toContain("nothing was changed");
    expect(readFileSync(join(world.home, "out"), "utf8")).toBe("Home\n");
  });
});
