import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Harness, harnessesWith } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { createTerminalWorld, type TerminalWorld } from "../../support/virtual-terminal.js";

/** `events update --edit` with scripts as editors; test/system/edit.test.ts has editors on a real terminal. */

const PATH = { PATH: process.env["PATH"] ?? "" };
const TOMORROW = "2026-11-22";
const HOSTILE = "\u001b[31mred \u202e: #1 'quoted' \"日本\"";

interface EditWorld extends TerminalWorld {
  readonly id: string;
  /** Files of editors, and the folder for temporary files. */
  readonly folder: string;
  /** Makes a script the editor; `$1` is the file. */
  edit(script: string, ...argv: readonly string[]): ReturnType<Harness["run"]>;
  /** Runs an update of the event in an environment. */
  updateIn(env: Readonly<Record<string, string>>, ...argv: readonly string[]): ReturnType<Harness["run"]>;
  read(): Promise<Record<string, unknown>>;
}

let eventId = "";
const createWithEvent = harnessesWith(async ({ json }) => {
  const times = ["--start", `${TOMORROW}T12:00`, "--duration", "1h", "--location", "Home"];
  const texts = ["--title", HOSTILE, "--description", "one\r\n two \n\n"];
  eventId = (await json<{ readonly id: string }>("events", "create", ...texts, ...times)).id;
});

async function createWorld(options: Parameters<typeof createTerminalWorld>[0] = {}): Promise<EditWorld> {
  const folder = temporaryFolder();
  const [editor, tmp] = [join(folder, "editor"), join(folder, "tmp")];
  const own = { HOME: folder, ...PATH, LC_ALL: "C.UTF-8" };
  const env = { ...own, EDITOR: editor, ...options.env };
  const world = await createTerminalWorld({ ...options, env, create: createWithEvent });
  const id = eventId;
  mkdirSync(tmp);
  vi.stubEnv("TMPDIR", tmp);
  onTestFinished(() => void vi.unstubAllEnvs());
  const updateIn: EditWorld["updateIn"] = (env, ...argv) =>
    world.runWith({ env: { ...own, ...env } }, "events", "update", id, ...argv);
  return {
    ...world,
    id,
    folder,
    updateIn,
    edit(script, ...argv) {
      writeFileSync(editor, `#!/bin/sh\ncp "$1" "$HOME/seen.yaml"\n${script}\n`, { mode: 0o755 });
      return updateIn({ VISUAL: editor }, "--edit", ...argv);
    },
    read: () => world.json("events", "get", id),
  };
}

/** The file that a message says is kept. */
function keptText(stderr: string): string {
  const [, path = ""] = /^your text is kept in (.*)$/m.exec(stderr) ?? [];
  return readFileSync(path, "utf8");
}

/** What is left in the folder for temporary files. */
function tempFiles({ folder }: EditWorld): readonly string[] {
  return readdirSync(join(folder, "tmp"));
}

describe("with a script as the editor", () => {
  test("gives it the environment without the secrets of this program", async () => {
    const world = await createWorld();
    const environment = join(world.folder, "environment");
    const editor = join(world.folder, "editor");
    writeFileSync(editor, `#!/bin/sh\nenv > "${environment}"\n`, { mode: 0o755 });
    const secrets = { CALCTL_CLIENT_SECRET: "s3cret-1", CALCTL_WEBHOOK_URL: "https://s3cret-2.example" };
    const env = { ...secrets, VISUAL: editor, OTHER: "kept" };
    await world.updateIn(env, "--edit");
    const given = readFileSync(environment, "utf8");
    expect(given).toContain("OTHER=kept");
    expect(given).not.toContain("s3cret");
  });

  test("has the rule of an event that repeats, for the scope that was said", async () => {
    const world = await createWorld();
    const repeat = ["--title", "Sync", "--start", "2031-01-06T09:00", "--repeat", "weekly on mon", "-q"];
    const [id = "", editor] = [
      (await world.run("events", "create", ...repeat, "--fields", "id")).stdout.trim(),
      join(world.folder, "editor"),
    ];
    const script = `#!/bin/sh\nsed -i 's/^repeat: FREQ=WEEKLY;BYDAY=MO/repeat: every 2 weeks on mon/' "$1"\n`;
    writeFileSync(editor, script, { mode: 0o755 });
    const edit = (...flags: readonly string[]) =>
      world.runWith({ env: { ...PATH, VISUAL: editor } }, "events", "update", id, "--edit", ...flags);
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
    expect(readFileSync(join(world.folder, "seen.yaml"), "utf8")).toContain(`\nlabel: ${name}\n`);
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

  test("an untouched file with --dry-run prints the event, since there is no request", async () => {
    const world = await createWorld();
    const { stdout, ...result } = await world.edit("true", "--dry-run", "-o", "json");
    expect(result).toEqual({ exitCode: 0, stderr: "nothing was changed\n" });
    expect(JSON.parse(stdout)).toEqual(await world.read());
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
    expect(readFileSync(join(world.folder, "seen.yaml"), "utf8")).not.toContain("words");
    expect(await world.read()).toEqual(before);
  });

  test("a change by somebody else meanwhile is exit 13, and the text is kept", async () => {
    const world = await createWorld();
    const [opened, go] = [join(world.folder, "opened"), join(world.folder, "go")];
    execFileSync("mkfifo", [opened, go]);
    const edited = world.edit(`sed -i 's/Home/Mine/' "$1"; echo >"${opened}"; cat "${go}"`);
    await readFile(opened);
    await world.run("events", "update", world.id, "--title", "Theirs");
    await writeFile(go, "");
    const { exitCode, stdout, stderr } = await edited;
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
    const TMPDIR = join(world.folder, "missing");
    vi.stubEnv("TMPDIR", TMPDIR);
    const { exitCode, stderr } = await world.updateIn({ EDITOR: "true" }, "--edit");
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
});

describe("without an editor", () => {
  test.each([
    [{}, 2, "--edit: there is no editor to open"],
    [{ VISUAL: "", EDITOR: " " }, 2, "--edit: there is no editor to open"],
    [{ EDITOR: "no-such-editor --wait" }, 2, 'the editor "no-such-editor --wait" could not be started'],
    [{ EDITOR: "exit 3;" }, 130, "ended with 3"],
  ])("%j is exit %i", async (env, code, message) => {
    const world = await createWorld();
    const { exitCode, stdout, stderr } = await world.updateIn(env, "--edit");
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
});

describe("on a terminal", () => {
  test("errors are shown, also in the file, until it is right; then asks, at 40 columns", async () => {
    const world = await createWorld({ columns: 40 });
    // The first time it breaks the title, then it corrects what it broke.
    writeFileSync(
      join(world.folder, "editor"),
      `#!/bin/sh\ncat "$1" >> "$HOME/seen.yaml"\nif grep -q '^title:.*日本' "$1"; then sed -i 's/^title:.*/title:/' "$1"; else sed -i 's/^title:.*/title: Doctor/' "$1"; fi\n`,
      { mode: 0o755 },
    );
    world.start("events update --edit --fields title");
    await world.answer([["❯ ", "Enter"], ["title is empty"], ["Edit again?", "Enter"]]);
    await world.answer([["+ title: Doctor"], ["Write these changes?", "Enter"], ["exit 0"]]);
    expect(readFileSync(join(world.folder, "seen.yaml"), "utf8")).toMatch(
      /^#! title is empty: write 1 to 50 characters$/m,
    );
    expect(await world.read()).toMatchObject({ title: "Doctor", location: "Home" });
  });

  test.each([["Escape"], ["n", "Enter"]])(
    "%s at the question writes nothing and keeps the text",
    async (...keys) => {
      const world = await createWorld({ columns: 200, env: { EDITOR: "sed -i s/Home/Mine/" } });
      const before = await world.read();
      world.start(`events update ${world.id} --edit`);
      await world.answer([["Write these changes?", ...keys], ["exit 130"]]);
      expect(keptText(world.text())).toContain("\nlocation: Mine\n");
      expect(await world.read()).toEqual(before);
    },
  );
});
