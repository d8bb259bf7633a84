import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { type Block, blocksOf, readPage } from "../support/docs-pages.js";
import { createDocsWorld, type DocsWorld, ORIGIN } from "../support/docs-world.js";
import type { RunResult } from "../support/harness.js";
import { startSession } from "../support/keyring.js";
import { addressIn } from "../support/login-run.js";
import { follow, type Running, TOMORROW } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";

/** Every line that a reader of the docs would type, as it stands, and the output that the docs show for it. */

const PAGES = [
  "README.md",
  "completion",
  "dates",
  "debugging",
  "exit-codes",
  "extensions",
  "login",
  "names",
  "network",
  "operating",
  "output",
  // screens.test.ts compares it with the program.
  "screens",
  "self-hosting",
  "writing",
];

interface Step {
  readonly line: string;
  /** Null where the page shows none. */
  readonly output: string | null;
}

/** Lines of a script; in a block of language `console` those after `$ `, each followed by its output. */
function stepsOf({ language, text }: Block): readonly Step[] {
  if (language === "sh") {
    const lines = text.replace(/\\\n\s*/g, "").split("\n");
    return lines.filter((line) => line !== "").map((line) => ({ line, output: null }));
  }
  if (language !== "console") return [];
  return text.split(/^\$ /m).flatMap((part) => {
    const [, line = "", output = ""] = /^((?:.*\\\n)*.*)\n([\s\S]*)$/.exec(part) ?? [];
    return line === "" ? [] : [{ line, output }];
  });
}

/** Runs the blocks of a page in order, each in a shell of its own, as in a new terminal window. */
async function runPage(world: DocsWorld, page: string): Promise<void> {
  const services: Running[] = [];
  for (const block of blocksOf(world.place(page))) {
    rmSync(join(world.home, ".state"), { force: true });
    for (const step of stepsOf(block)) {
      const service = await startService(world, step.line);
      if (service === null) await expectStep(world, step);
      else services.push(service);
    }
    if (block.language === "crontab") await runCrontab(world, block.text);
  }
  for (const { child, ended } of services) {
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ exitCode: 0 });
  }
}

/** A line that does not end by itself. Null for any other. */
async function startService(world: DocsWorld, line: string): Promise<Running | null> {
  if (!line.startsWith("calctl service start")) return null;
  const argv = line.replace(/ +#.*/, "").split(" ").slice(1);
  const running = world.start(...argv);
  await running.stderrWith("listening");
  return running;
}

async function expectStep(world: DocsWorld, { line, output }: Step): Promise<void> {
  const { exitCode, stdout, stderr } = await runLine(world, { line, output });
  if (output !== null) {
    expect(comparable(stdout), line).toMatch(patternOf(output));
    return;
  }
  expect({ line, exitCode, stderr: exitCode === 0 ? "" : `${stderr}${stdout}` }).toEqual({
    line,
    exitCode: 0,
    stderr: "",
  });
}

async function runLine(world: DocsWorld, { line, output }: Step): Promise<RunResult> {
  const [script, state] = [join(world.home, ".line"), join(world.home, ".state")];
  const onTerminal = output !== null || /^calctl (login(?!.*--with-token)|service users password)/.test(line);
  writeFileSync(
    script,
    `set -a; cd; [ ! -f "${state}" ] || . "${state}"; trap 'export -p >"${state}"' EXIT
${onTerminal ? "stty cols 100" : ""}\n${line}\n`,
  );
  if (!onTerminal) return world.shell(`. "${script}"`);
  const running = world.startOnTerminal(`. "${script}"`, { TERM: "xterm" });
  if (line.startsWith("calctl login")) await signIn(world, running);
  if (line.includes("users password")) await typePassword(running);
  return running.ended;
}

async function signIn(world: DocsWorld, { child, stdoutWith }: Running): Promise<void> {
  await stdoutWith("Client secret");
  child.stdin?.write(`${world.sample.client_secret}\r`);
  const shown = await stdoutWith("paste the address");
  await world.allowAccess(addressIn(shown.replaceAll("\r", "")));
}

async function typePassword({ child, stdoutWith }: Running): Promise<void> {
  await stdoutWith("New password");
  child.stdin?.write("correct horse battery\r");
}

/** Runs each command of a crontab as cron does: by /bin/sh, in an environment of little more than its variables. */
async function runCrontab(world: DocsWorld, text: string): Promise<readonly RunResult[]> {
  const variables = [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  const commands = [...text.matchAll(/^(?:[\d*/,-]+ ){5}(.*)$/gm)].map(([, command = ""]) => command);
  expect(commands).not.toEqual([]);
  const { HTTPS_PROXY, NODE_EXTRA_CA_CERTS, HOME } = world.env;
  const env = {
    HTTPS_PROXY,
    NODE_EXTRA_CA_CERTS,
    HOME,
    PATH: "/usr/bin:/bin",
    ...Object.fromEntries(variables),
  };
  const results: RunResult[] = [];
  for (const command of commands) {
    const result = await follow(spawn("/bin/sh", ["-c", command], { env, cwd: HOME, stdio: "pipe" })).ended;
    expect(result, command).toMatchObject({ exitCode: 0, stderr: "" });
    results.push(result);
  }
  return results;
}

/** Text in which ids, dates, durations and the width of columns do not matter. */
function comparable(text: string): string {
  return (
    stripVTControlCharacters(text)
      .replaceAll("\r", "")
      .replace(/\b[0-9a-f]{32}\b/g, "EVENT")
      .replace(/[\w-]{12}(?=[),]|$)/gm, "CALENDAR")
      .replace(/\b\d{15,}\b/g, "USER")
      .replace(/\b\d+(\.\d+)?(?= m?s\b)/g, "N")
      .replace(/\b\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?/g, "DATE")
      .replace(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2}( \d{4})?/g, "DATE")
      .replace(/(?<= )[0-9a-f]{4,6}$/gm, "EVENT")
      // What is going on now is marked.
      .replace(/^▸/gm, " ")
      .replace(/ +/g, " ")
      .replace(/ $/gm, "")
      .trim()
  );
}

/** `…` in a page stands for any text. */
function patternOf(output: string): RegExp {
  const parts = comparable(output).split("…");
  return new RegExp(
    `^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[\\s\\S]*")}$`,
  );
}

async function signInWithToken(world: DocsWorld): Promise<void> {
  const argv = ["login", "--with-token", "--insecure-storage", "--base-url", `${ORIGIN}/api`];
  expect(await world.runWith({ stdin: world.sample.token }, ...argv)).toMatchObject({ exitCode: 0 });
}

test("the test knows every page", () => {
  const listed = readPage("README.md").matchAll(/\]\(docs\/([\w-]+)\.md\)/g);
  expect(PAGES).toEqual(["README.md", ...[...new Set([...listed].map(([, name]) => name))].sort()]);
});

/** Many runs one after another, on a machine that has much else to do (ms). */
const PAGE_TIMEOUT = 180_000;

describeWithSystem("keyring", "on a desktop, the lines of", () => {
  describeWithSystem("dbus", "with a session,", () => {
    test(
      "README.md work",
      async () => {
        const world = await createDocsWorld((await startSession({ keyring: "unlocked" })).env);
        await runPage(world, readPage("README.md"));
        // .ci/run builds, starts and tests the project for real, in a fresh clone.
        expect(world.calls()).toBe("npm run build\nnpm install --global .\nnpm start\nnpm test\n");
      },
      PAGE_TIMEOUT,
    );

    test(
      "docs/login.md work",
      async () => {
        const world = await createDocsWorld((await startSession({ keyring: "unlocked" })).env);
        await runPage(world, readPage("login"));
        expect(world.calls().match(/^\w+/gm)).toEqual(["ssh", "sudo", "docker", "pass", "crontab"]);
      },
      PAGE_TIMEOUT,
    );
  });
});

test("docs/self-hosting.md work", async () => {
  await runPage(await createDocsWorld(), readPage("self-hosting"));
});

test("docs/operating.md work", async () => {
  const world = await createDocsWorld();
  await runPage(world, readPage("operating"));
  // systemd.test.ts runs what is after sudo.
  expect(new Set(world.calls().match(/^\w+/gm))).toEqual(new Set(["npm", "sudo"]));
});

test.each(["debugging", "exit-codes", "network", "output"])("the lines of docs/%s.md work", async (name) => {
  const world = await createDocsWorld();
  await signInWithToken(world);
  await runPage(world, readPage(name));
});

test.each(["names", "writing"])("the lines of docs/%s.md work with the profile local", async (name) => {
  await runPage(await createDocsWorld(), readPage(name));
});

test("docs/output.md has the keys and columns of every shape", async () => {
  const world = await createDocsWorld();
  await signInWithToken(world);
  const { stdout: id } = await world.run("events", "create", "-c", "Family", ...LUNCH, "--fields", "id");
  const page = readPage("output");
  for (const [shape, row, argv] of [
    ["user", "members, whoami", ["whoami"]],
    ["calendar", "calendars", ["calendars"]],
    ["label", "labels", ["labels", "-c", "Family"]],
    ["event", "events", ["events", "list", "--days", "2", "-c", "Family"]],
    ["activity", "comments", ["comment", id.trim(), "Text", "-c", "Family"]],
    ["status", null, ["status"]],
  ] as const) {
    const { stdout } = await world.run(...argv, "-o", "json");
    expect(Object.keys([JSON.parse(stdout)].flat()[0]), shape).toEqual(keysOf(page, shape));
    if (row === null) continue;
    const columns = new RegExp(`^\\| ${row} \\| \`(.*?)\``, "m").exec(page)?.[1] ?? "";
    const fields = ["-o", "tsv", "--fields", columns.replaceAll(" ", ",")];
    const [byDefault, byName] = [await world.run(...argv, "-o", "tsv"), await world.run(...argv, ...fields)];
    expect(comparable(byName.stdout), row).toBe(comparable(byDefault.stdout));
  }
});

const LUNCH = ["--title", "Lunch", "--start", `${TOMORROW}T12:00`, "--duration", "1h"];

/** The keys of a shape on the page. */
function keysOf(page: string, shape: string): readonly string[] {
  const text = new RegExp(`^${shape} +\\{([\\s\\S]*?)\\}(?:$|  )`, "m").exec(page)?.[1] ?? "";
  return text
    .replace(/\{.*?\}/g, "")
    .split(",")
    .map((key) => key.replace(/:.*/, "").trim());
}

test("docs/network.md shows the note of a retry", async () => {
  const world = await createDocsWorld();
  await signInWithToken(world);
  world.failOnce(503);
  const { stderr } = await world.run("calendars");
  expect(comparable(readPage("network"))).toContain(comparable(stderr));
});

test("examples/crontab prints the events of the day", async () => {
  const world = await createDocsWorld();
  await signInWithToken(world);
  const [result] = await runCrontab(world, world.place(readPage("examples/crontab")));
  expect(result?.stdout).not.toBe("");
});

test("the scripts in examples work", async () => {
  const world = await createDocsWorld();
  await signInWithToken(world);
  const script = (name: string) =>
    `sh "${fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))}"`;
  expect((await world.shell(script("today.sh"))).stdout).toContain("all day  Release day\n");
  const { stdout } = await world.run("events", "list", "-c", "Work", "-o", "json");
  const { id } = (JSON.parse(stdout) as readonly { readonly id: string; readonly title: string }[])[0] ?? {};
  const copied = await world.shell(`${script("copy-event.sh")} ${id} Work Family`);
  expect(copied).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^[0-9a-f]{32}\n$/) });
});
