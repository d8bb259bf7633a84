import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { timesRun } from "../support/coverage.js";
import { failed } from "../support/outcomes.js";
import { createInstallation, type Installation, PROGRAM, TOMORROW } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { openTerminal } from "../support/tmux.js";

/** `events update --edit` of the built program, with scripts as editors, and on a terminal. */

const HOSTILE = "\u001b[31mred \u202e: #1 'quoted' \"日本\"";

interface EditWorld extends Installation {
  readonly id: string;
  /** Makes a script the editor; `$1` is the file. */
  edit(script: string, ...argv: readonly string[]): ReturnType<Installation["run"]>;
  read(): Promise<Record<string, unknown>>;
}

async function createWorld(): Promise<EditWorld> {
  const installation = createInstallation({ TZ: "UTC" });
  mkdirSync(join(installation.home, "tmp"));
  const times = ["--start", `${TOMORROW}T12:00`, "--duration", "1h", "--location", "Home"];
  const texts = ["--title", HOSTILE, "--description", "one\r\n two \n\n"];
  const created = await installation.run("events", "create", ...texts, ...times, "-o", "json");
  const { id } = JSON.parse(created.stdout);
  const editor = join(installation.home, "editor");
  return {
    ...installation,
    env: { ...installation.env, TMPDIR: join(installation.home, "tmp") },
    id,
    edit(script, ...argv) {
      writeFileSync(editor, `#!/bin/sh\ncp "$1" "$HOME/seen.yaml"\n${script}\n`, { mode: 0o755 });
      const env = { VISUAL: editor, TMPDIR: join(installation.home, "tmp") };
      return installation.runWith({ env }, "events", "update", id, "--edit", ...argv);
    },
    read: async () => JSON.parse((await installation.run("events", "get", id, "-o", "json")).stdout),
  };
}

/** The file that a message says is kept. */
function keptText(stderr: string): string {
  const [, path = ""] = /^your text is kept in (.*)$/m.exec(stderr) ?? [];
  return readFileSync(path, "utf8");
}

/** What is left in the folder for temporary files. */
function tempFiles({ home }: Installation): readonly string[] {
  return readdirSync(join(home, "tmp"));
}

describe("with a script as the editor", () => {
  test("gives it the environment without the secrets of this program", async () => {
    const world = await createWorld();
    const environment = join(world.home, "environment");
    const editor = join(world.home, "editor");
    writeFileSync(editor, `#!/bin/sh\nenv > "${environment}"\n`, { mode: 0o755 });
    const secrets = { CALCTL_CLIENT_SECRET: "s3cret-1", CALCTL_WEBHOOK_URL: "https://s3cret-2.example" };
    const env = { ...secrets, VISUAL: editor, OTHER: "kept" };
    await world.runWith({ env }, "events", "update", world.id, "--edit");
    const given = readFileSync(environment, "utf8");
    expect(given).toContain("OTHER=kept");
    expect(given).not.toContain("s3cret");
  });

  test("has the rule of an event that repeats, for the scope that was said", async () => {
    const world = await createWorld();
    const repeat = ["--title", "Sync", "--start", "2031-01-06T09:00", "--repeat", "weekly on mon", "-q"];
    const [id = "", editor] = [
      (await world.run("events", "create", ...repeat, "--fields", "id")).stdout.trim(),
      join(world.home, "editor"),
    ];
    const script = `#!/bin/sh\nsed -i 's/^repeat: FREQ=WEEKLY;BYDAY=MO/repeat: every 2 weeks on mon/' "$1"\n`;
    writeFileSync(editor, script, { mode: 0o755 });
    const edit = (...flags: readonly string[]) =>
      world.runWith({ env: { VISUAL: editor } }, "events", "update", id, "--edit", ...flags);
    expect(await edit()).toMatchObject(failed(2, "missing --scope"));
    expect(await edit("--scope", "all", "--fields", "recurrences")).toEqual({
      exitCode: 0,
      stdout: "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO\n",
      stderr:
        "repeat: every 2 weeks on Monday: Mon 2031-01-06, Mon 2031-01-20, Mon 2031-02-03, …\n" +
        "- repeat: FREQ=WEEKLY;BYDAY=MO\n+ repeat: FREQ=WEEKLY;INTERVAL=2;BYDAY=MO\n",
    });
  });

  test("writes what was changed, and leaves the rest exactly as it was", async () => {
    const world = await createWorld();
    const before = await world.read();
    const result = await world.edit(
      `sed -i 's/^location: Home/location: "Street: 1"/' "$1"`,
      "--fields",
      "location",
    );
    expect(result).toEqual({
      exitCode: 0,
      stdout: "Street: 1\n",
      stderr: '- location: Home\n+ location: "Street: 1"\n',
    });
    const { updated_at: _, ...after } = await world.read();
    expect(after).toEqual({ ...before, location: "Street: 1", updated_at: undefined });
    expect(tempFiles(world)).toEqual([]);
  });

  test("has the label by its name, where no other has it", async () => {
    const world = await createWorld();
    await world.edit(`sed -i 's/^label: .*/label: "3"/' "$1"`);
    const { label } = await world.read();
    const { name } = label as { readonly name: string };
    expect(name).not.toBe("");
    const again = await world.edit("true");
    expect(again.exitCode).toBe(0);
    expect(readFileSync(join(world.home, "seen.yaml"), "utf8")).toContain(`\nlabel: ${name}\n`);
    await world.edit(`sed -i 's/^label: .*/label: "1"/' "$1"`);
    expect((await world.read())["label"]).toMatchObject({ number: 1 });
  });

  test("clears, and reads dates in words, which it says", async () => {
    const world = await createWorld();
    const { stderr } = await world.edit(
      `sed -i -e 's/^location:.*/location:/' -e 's/^start:.*/start: ${TOMORROW} 9:00/' -e 's/^end:.*/end: ${TOMORROW}T10:30/' "$1"`,
    );
    expect(stderr).toContain(`- start: ${TOMORROW}T12:00\n+ start: ${TOMORROW}T09:00\n`);
    expect(await world.read()).toMatchObject({
      location: "",
      start_at: `${TOMORROW}T09:00:00.000Z`,
      end_at: `${TOMORROW}T10:30:00.000Z`,
    });
  });

  test("a new start alone moves the end along, and a day keeps the time of day", async () => {
    const world = await createWorld();
    const { stderr } = await world.edit(`sed -i 's/^start:.*/start: 2026-12-24/' "$1"`);
    expect(stderr).toContain(`- end: ${TOMORROW}T13:00\n+ end: 2026-12-24T13:00\n`);
    expect(await world.read()).toMatchObject({
      start_at: "2026-12-24T12:00:00.000Z",
      end_at: "2026-12-24T13:00:00.000Z",
    });
  });

  test.each([
    ["untouched", "true"],
    ["emptied", ': > "$1"'],
    ["with only its comments left", `sed -i '/^#/!d' "$1"`],
    ["with lines left out", `sed -i '/^location/d' "$1"`],
    [
      "with the same values in other words",
      `sed -i "s/^title:.*/&\\r/; s/^all_day: false/all_day:   'false'/" "$1"`,
    ],
  ])("a file %s changes nothing, and the event is printed", async (_, script) => {
    const world = await createWorld();
    const before = await world.read();
    const { stdout, ...result } = await world.edit(script, "-o", "json");
    expect(result).toEqual({ exitCode: 0, stderr: "nothing was changed\n" });
    expect(JSON.parse(stdout)).toEqual(before);
    expect(await world.read()).toEqual(before);
    expect(tempFiles(world)).toEqual([]);
  });

  test("an untouched file with --dry-run prints no request", async () => {
    const world = await createWorld();
    const result = await world.edit("true", "--dry-run");
    expect(result).toEqual({ exitCode: 0, stdout: "", stderr: "nothing was changed\n" });
  });

  test.each([
    ["title: a: b", "title:.*", "not valid YAML: "],
    ["title:", "title:.*", "title is empty"],
    [`title: ${"x".repeat(51)}`, "title:.*", "title is 51 characters long"],
    ["start: someday", "start:.*", 'start: "someday" is not a valid date or time'],
    ["end: 2020-01-01T12:00", "end:.*", "is not after the start"],
    ["end:", "end:.*", "a schedule needs its times"],
    ["start_timezone: Mars", "start_timezone:.*", 'start_timezone: "Mars" is not a time zone'],
    ["all_day: perhaps", "all_day:.*", 'all_day: "perhaps" is not valid'],
    ["category: party", "category:.*", 'category: "party" is not a category'],
    ["label: 99", "label:.*", 'label: there is no label "99"'],
    ["attendees: [Zacharias]", "attendees:.*", 'attendees: there is no member "Zacharias"'],
    ["owner: me", "url:.*", 'an event has no "owner"'],
  ])("%s is an error, and the text is kept", async (line, pattern, message) => {
    const world = await createWorld();
    const before = await world.read();
    const { exitCode, stdout, stderr } = await world.edit(`sed -i 's/^${pattern}/${line}/' "$1"`);
    const isUnknown = message.includes("there is no");
    expect({ exitCode, stdout }).toEqual({ exitCode: isUnknown ? 5 : 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(keptText(stderr)).toContain(`\n${line}\n`);
    expect(await world.read()).toEqual(before);
  });

  test("--strict-dates refuses words, and the file does not offer them", async () => {
    const world = await createWorld();
    const before = await world.read();
    expect(
      await world.edit(`sed -i 's/^start:.*/start: tomorrow 11:00/' "$1"`, "--strict-dates"),
    ).toMatchObject(failed(2, 'start: "tomorrow 11:00" is not'));
    expect(readFileSync(join(world.home, "seen.yaml"), "utf8")).not.toContain("words");
    expect(await world.read()).toEqual(before);
  });

  test("a change by somebody else meanwhile is exit 13, and the text is kept", async () => {
    const world = await createWorld();
    const other = `"${process.execPath}" "${PROGRAM}" events update ${world.id} --title Theirs`;
    const { exitCode, stdout, stderr } = await world.edit(`sed -i 's/Home/Mine/' "$1"; ${other} >/dev/null`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: "" });
    expect(keptText(stderr)).toContain("\nlocation: Mine\n");
    expect(await world.read()).toMatchObject({ title: "Theirs", location: "Home" });
  });

  test.each([
    ["the file", 'rm "$1"'],
    ["its folder", 'rm -r "$(dirname "$1")"'],
  ])("an editor that removes %s is exit 130, and nothing is left", async (_, script) => {
    const world = await createWorld();
    const before = await world.read();
    const { exitCode, stdout, stderr } = await world.edit(script);
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
    expect(stderr).toMatch(/^error: the editor ".*" removed the file\n$/);
    expect(await world.read()).toEqual(before);
    expect(tempFiles(world)).toEqual([]);
  });

  test("an editor that saves and ends with an error is exit 130, and the text is kept", async () => {
    const world = await createWorld();
    const { exitCode, stderr } = await world.edit(`sed -i 's/Home/Mine/' "$1"; exit 1`);
    expect(exitCode).toBe(130);
    expect(keptText(stderr)).toContain("\nlocation: Mine\n");
  });

  test("a folder for temporary files that is missing is exit 1, and named", async () => {
    const world = await createWorld();
    const TMPDIR = join(world.home, "missing");
    const env = { EDITOR: "true", TMPDIR };
    const { exitCode, stderr } = await world.runWith({ env }, "events", "update", world.id, "--edit");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `error: no file can be created in ${TMPDIR} (no such file or directory)\n`,
    });
  });

  test("--dry-run prints the request and writes nothing", async () => {
    const world = await createWorld();
    const before = await world.read();
    const { exitCode, stdout } = await world.edit(`sed -i 's/Home/Mine/' "$1"`, "--dry-run");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      method: "PUT",
      body: { data: { attributes: { title: HOSTILE } } },
    });
    expect(await world.read()).toEqual(before);
  });

  test("the file is only its owner's, and stdout of the editor is not the program's", async () => {
    const world = await createWorld();
    const script = `echo noise; stat -c %a "$1" "$(dirname "$1")" > "$HOME/modes"`;
    const { stdout } = await world.edit(script, "--fields", "location");
    expect(stdout).toBe("Home\n");
    expect(readFileSync(join(world.home, "modes"), "utf8")).toBe("600\n700\n");
  });
});

describe("without an editor", () => {
  test.each([
    [{}, 2, "--edit: there is no editor to open"],
    [{ VISUAL: "", EDITOR: " " }, 2, "--edit: there is no editor to open"],
    [{ EDITOR: "no-such-editor --wait" }, 2, 'the editor "no-such-editor --wait" could not be started'],
    [{ EDITOR: "exit 3;" }, 130, "ended with 3"],
  ])("%j is exit %i", async (env, code, message) => {
    const world = await createWorld();
    const { exitCode, stdout, stderr } = await world.runWith({ env }, "events", "update", world.id, "--edit");
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("kept");
  });

  test.each([
    ["--title", "x"],
    ["--no-all-day"],
    ["--clear", "url"],
    ["--if-unchanged", "2026-11-21T12:00:00Z"],
  ])("--edit with %s is exit 2", async (...flags) => {
    const world = await createWorld();
    expect(await world.edit("true", ...flags)).toMatchObject(
      failed(2, "--edit cannot be combined with field flags"),
    );
  });

  test("nothing of it is loaded by an update with flags", async () => {
    const world = await createWorld();
    const folder = join(world.home, "coverage");
    mkdirSync(folder);
    await world.runWith({ env: { NODE_V8_COVERAGE: folder } }, "events", "update", world.id, "--title", "x");
    for (const text of ["Map keys must be unique", "Change what should change"])
      expect(timesRun(folder, text)).toBe(0);
  });
});

describeWithSystem("tmux", "on a terminal", () => {
  test.each([80, 40])(
    "errors are shown, also in the file, until it is right; then asks, at %i columns",
    async (columns) => {
      const world = await createWorld();
      const editor = join(world.home, "editor");
      // The first time it breaks the title, then it corrects what it broke.
      writeFileSync(
        editor,
        `#!/bin/sh\ncat "$1" >> "$HOME/seen.yaml"\nif grep -q '^title:.*日本' "$1"; then sed -i 's/^title:.*/title:/' "$1"; else sed -i 's/^title:.*/title: Doctor/' "$1"; fi\n`,
        { mode: 0o755 },
      );
      const terminal = openTerminal({ ...world, env: { ...world.env, EDITOR: editor } }, { columns });
      terminal.type(`calctl events update --edit --fields title; echo "exit $?"`, "Enter");
      await terminal.shows("❯ ");
      terminal.type("Enter");
      await terminal.shows("title is empty");
      await terminal.shows("Edit again?");
      terminal.type("Enter");
      await terminal.shows("+ title: Doctor");
      await terminal.shows("Write these changes?");
      terminal.type("Enter");
      await terminal.shows("exit 0");
      expect(readFileSync(join(world.home, "seen.yaml"), "utf8")).toMatch(
        /^#! title is empty: write 1 to 50 characters$/m,
      );
      expect(await world.read()).toMatchObject({ title: "Doctor", location: "Home" });
    },
  );

  test.each([
    ["Escape", "exit 130"],
    ["n", "exit 130"],
  ])("%s at the question writes nothing and keeps the text", async (key, end) => {
    const world = await createWorld();
    const before = await world.read();
    const env = { ...world.env, EDITOR: "sed -i s/Home/Mine/" };
    const terminal = openTerminal({ ...world, env }, { columns: 120 });
    terminal.type(`calctl events update ${world.id} --edit; echo "exit $?"`, "Enter");
    await terminal.shows("Write these changes?");
    terminal.type(key, ...(key === "n" ? ["Enter"] : []));
    await terminal.shows(end);
    expect(keptText(terminal.text())).toContain("\nlocation: Mine\n");
    expect(await world.read()).toEqual(before);
  });

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
      expect(tempFiles(world)).toEqual([]);
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
