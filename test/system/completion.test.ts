import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { harmfulCodes } from "../support/harmful-text.js";
import { failed } from "../support/outcomes.js";
import { createInstallation, type Installation, PROGRAM } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import type { SystemPart } from "../support/system-parts.js";
import { words } from "../support/words.js";
import { openTerminal, type Terminal } from "./support/tmux.js";

/** The scripts of `calctl completion` in real shells, on a real terminal: what Tab makes the shell hand to the program. */

interface ShellUnderTest {
  readonly part: SystemPart;
  readonly start: string;
  readonly load: string;
}

const SHELLS: readonly (ShellUnderTest & { readonly name: string })[] = [
  {
    name: "bash",
    part: "tmux",
    start: "bash --norc --noprofile",
    load: "source <(calctl completion bash)",
  },
  { name: "zsh", part: "zsh", start: "zsh -f", load: "source <(calctl completion zsh)" },
  { name: "fish", part: "fish", start: "fish --no-config", load: "calctl completion fish | source" },
];

/** Each would run, expand or split something if a shell evaluated it. */
const HOSTILE = [
  "$(touch ran)",
  "`touch ran`",
  "<(touch ran)",
  "; touch ran;",
  "Two Words",
  "it's",
  'say "hi"',
  "a:b c",
  "back\\slash\\",
  "-dash",
  "--x=y",
  "~tilde",
  "bang!x",
  "!!",
  "e=f",
  "*",
  "{a,b}",
  "#hash",
  "$HOME",
  "two\nlines",
  "日本 語",
  "a\u202eb",
  " lead",
];

/** What stands for a name: the id where a terminal must not show the name. */
function wordFor(name: string): string {
  return harmfulCodes(name).length > 0 ? "id0" : name;
}

interface World extends Pick<Installation, "home"> {
  readonly terminal: Terminal;
  /** Types a line, in which `<Tab>` is that key. @returns the arguments that `calctl` then got */
  run(line: string): Promise<readonly string[]>;
  /** What names are cached. */
  remember(lists: Readonly<Record<string, readonly string[]>>): void;
}

/** A terminal with a shell, in which `calctl` completes like the program, and otherwise reports its arguments. */
async function createWorld({ start, load }: ShellUnderTest): Promise<World> {
  const bin = join(createInstallation().home, "bin");
  const installation = createInstallation({ PATH: `${bin}:${process.env["PATH"]}`, HISTFILE: "" });
  const { home } = installation;
  const report = join(home, "report");
  mkdirSync(bin);
  const program = `#!/bin/sh
case "$1" in __complete | completion) exec "${process.execPath}" "${PROGRAM}" "$@" ;; esac
printf '%s\\0' "$@" > "${report}.new"
mv "${report}.new" "${report}"
`;
  writeFileSync(join(bin, "calctl"), program, { mode: 0o755 });
  const folder = join(home, ".cache", "calctl", "names");
  mkdirSync(folder, { recursive: true });
  const terminal = openTerminal(installation, { columns: 120, command: start });
  const run: World["run"] = async (line) => {
    rmSync(report, { force: true });
    for (const [index, part] of line.split("<Tab>").entries()) {
      if (index > 0) terminal.type("Tab");
      if (part !== "") terminal.type("-l", part);
    }
    terminal.type("Enter");
    const shown = () => (existsSync(report) ? "reported" : terminal.screen());
    await expect.poll(shown).toBe("reported");
    return readFileSync(report, "utf8").split("\0").slice(0, -1);
  };
  terminal.type("-l", `cd "${home}"; ${load}`);
  terminal.type("Enter");
  await run("calctl loaded");
  return {
    home,
    terminal,
    run,
    remember: (lists) => {
      const readAt = Date.now() - 1_000;
      const entries = Object.entries(lists).map(([key, names]) => {
        const items = names.map((name, index) => ({
          id: `id${index}`,
          name,
          number: index + 2,
          color: null,
        }));
        return [key, { readAt, items }];
      });
      const owner = { version: 3, name: "local " };
      const content = JSON.stringify({ ...owner, lists: Object.fromEntries(entries) });
      writeFileSync(join(folder, "local%20.json"), content);
    },
  };
}

describeWithSystem("tmux", "completion", () => {
  for (const { name, ...shell } of SHELLS) {
    describeWithSystem(shell.part, name, () => {
      test("hands every name to the program as it is, and runs nothing in it", {
        timeout: 120_000,
      }, async () => {
        const world = await createWorld(shell);
        const before = readdirSync(world.home);
        for (const hostile of HOSTILE) {
          world.remember({ calendars: [hostile] });
          const value = wordFor(hostile);
          expect(await world.run("calctl labels -c <Tab> --calendar=<Tab>")).toEqual([
            ...["labels", "-c", value, `--calendar=${value}`],
          ]);
        }
        expect(readdirSync(world.home)).toEqual(before);
      });

      test("hands them over inside of quotes that are open", async () => {
        const world = await createWorld(shell);
        for (const hostile of HOSTILE) {
          world.remember({ calendars: [hostile] });
          for (const quote of ["'", '"']) {
            expect(await world.run(`calctl labels -c ${quote}<Tab>`)).toEqual([
              "labels",
              "-c",
              wordFor(hostile),
            ]);
          }
        }
        expect(existsSync(join(world.home, "ran"))).toBe(false);
      });

      test("completes commands, flags, choices and names from what was typed", {
        timeout: 60_000,
      }, async () => {
        const world = await createWorld(shell);
        world.remember({
          calendars: ["Family", "Work out"],
          "labels id0": ["Sports"],
          "labels id1": ["Sprint"],
        });
        expect(await world.run("calctl ev<Tab> upd<Tab> abcd --al<Tab>")).toEqual([
          "events",
          "update",
          "abcd",
          "--all-day",
        ]);
        expect(await world.run("calctl labels -o mark<Tab> --color=al<Tab>")).toEqual([
          "labels",
          "-o",
          "markdown",
          "--color=always",
        ]);
        expect(await world.run("calctl -c Fam<Tab> events list --label Sp<Tab>")).toEqual(words`-c
          Family events list --label Sports`);
        expect(await world.run("calctl labels -c Work\\ o<Tab> -q")).toEqual([
          "labels",
          "-c",
          "Work out",
          "-q",
        ]);
        expect(await world.run("calctl labels -c 'Work o<Tab>")).toEqual(["labels", "-c", "Work out"]);
        expect(await world.run("calctl labels -c 'Work'<Tab>")).toEqual(["labels", "-c", "Work out"]);
        expect(await world.run("calctl labels --calendar='Wo'rk<Tab>")).toEqual([
          "labels",
          "--calendar=Work out",
        ]);
        expect(await world.run("X=1 calctl -qc Fam<Tab> labels; true")).toEqual(["-qc", "Family", "labels"]);
        expect(await world.run("calctl labels -c fam<Tab>")).toEqual(["labels", "-c", "Family"]);
        expect(await world.run("calctl config set calendar F<Tab>")).toEqual([
          "config",
          "set",
          "calendar",
          "Family",
        ]);
      });

      test("completes files where a file belongs", async () => {
        const world = await createWorld(shell);
        writeFileSync(join(world.home, "my notes.txt"), "");
        expect(await world.run("calctl comment abcd --file my<Tab>")).toEqual([
          "comment",
          "abcd",
          "--file",
          "my notes.txt",
        ]);
        expect(await world.run("calctl comment abcd --file=my<Tab>")).toEqual([
          "comment",
          "abcd",
          "--file=my notes.txt",
        ]);
        expect(await world.run("calctl comment abcd my<Tab>")).toEqual(["comment", "abcd", "my"]);
      });

      test("lists what fits with what it means, and inserts what all have in common", {
        timeout: 60_000,
      }, async () => {
        const world = await createWorld(shell);
        const folder = join(world.home, ".cache", "calctl", "events");
        mkdirSync(folder);
        const events = ["abcd1", "abcd2"].map((start, index) => ({
          ...{ id: start.padEnd(32, "0"), calendarId: "id0", shownAt: Date.now() - 1_000 },
          title: ["Lunch $(touch ran)", "Din\u001b[31mner"][index],
        }));
        const content = { version: 3, name: "local ", events };
        writeFileSync(join(folder, "local%20.json"), JSON.stringify(content));
        world.terminal.type("-l", "calctl events get ab");
        // In bash the first one inserts, the second one would beep, and the third one lists.
        world.terminal.type("Tab", "Tab", "Tab");
        await world.terminal.shows("Lunch $(touch ran)");
        expect(world.terminal.screen()).toContain("Din\\x1b[31mner");
        world.terminal.type("C-u");
        expect(await world.run("calctl events get abcd2<Tab>")).toEqual(["events", "get", "abcd2"]);
        expect(existsSync(join(world.home, "ran"))).toBe(false);
      });

      test("is silent where nothing fits and where everything is broken", async () => {
        const world = await createWorld(shell);
        expect(await world.run("calctl labels -c x<Tab>")).toEqual(["labels", "-c", "x"]);
        mkdirSync(join(world.home, ".config", "calctl"), { recursive: true });
        writeFileSync(join(world.home, ".config", "calctl", "config.json"), "{");
        expect(await world.run("calctl labels -c x<Tab>")).toEqual(["labels", "-c", "x"]);
        expect(world.terminal.screen()).not.toContain("error");
      });
    });
  }
});

describe("calctl __complete", () => {
  test("loads neither cryptography nor the rest of the program", async () => {
    const installation = createInstallation();
    const [preload, list] = [join(installation.home, "preload.cjs"), join(installation.home, "loaded")];
    const code = `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(list)}, JSON.stringify([process.moduleLoadList, Object.keys(require.cache)])));`;
    writeFileSync(preload, code);
    const line = `"${process.execPath}" -r "${preload}" "${PROGRAM}" __complete zsh 80 events create -c ''`;
    expect(await installation.shell(line)).toEqual({ exitCode: 0, stdout: "words\0", stderr: "" });
    const [builtin, files] = JSON.parse(readFileSync(list, "utf8")) as [string[], string[]];
    for (const name of ["crypto", "readline", "http", "vm"])
      expect(builtin).not.toContain(`NativeModule ${name}`);
    const [completion = "", ...others] = files.filter((path) => path !== preload && path !== PROGRAM);
    expect(others).toEqual([]);
    const text = readFileSync(completion, "utf8");
    expect(text.length).toBeLessThan(100_000);
    for (const part of ["luxon", "CommanderError", "undici"]) expect(text).not.toContain(part);
  });

  test.each([
    ["no shell", []],
    ["an unknown shell", ["tcsh", "a"]],
    ["not base64", ["powershell", "%%%"]],
    ["other JSON", ["powershell", "e30="]],
    ["nothing else", ["bash"]],
  ])("with %s ends with 0, and nothing on stderr", async (_, args) => {
    const { exitCode, stderr } = await createInstallation().run("__complete", ...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  test("writes nothing, also when the configuration is broken", async () => {
    const installation = createInstallation({ CALCTL_PROFILE: "" });
    expect(await installation.run("__complete", "zsh", "80", "labels", "-c", "")).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    expect(readdirSync(installation.home)).toEqual([]);
  });
});

describe("calctl completion", () => {
  test.each(["bash", "zsh", "fish", "powershell"])(
    "prints the script of %s, and nothing else",
    async (shell) => {
      const { run, home } = createInstallation();
      const { exitCode, stdout, stderr } = await run("completion", shell);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toContain(`calctl __complete ${shell} `);
      expect(stdout).not.toMatch(/\beval\b|compgen -W|Invoke-Expression/);
      expect(readdirSync(home)).toEqual([]);
    },
  );

  test("--help has one line for each shell, and an unknown shell is exit 2 with those there are", async () => {
    const { run } = createInstallation();
    const { stdout } = await run("completion", "--help");
    for (const shell of ["bash", "zsh", "fish", "powershell"])
      expect(stdout).toContain(`calctl completion ${shell}`);
    expect(await run("completion", "tcsh")).toMatchObject(failed(2, "bash, zsh, fish, powershell"));
  });
});
