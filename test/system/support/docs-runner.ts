import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { addressIn } from "../../commands/account/login-run.js";
import { type Block, blocksOf } from "../../support/docs-pages.js";
import type { RunResult } from "../../support/harness.js";
import { follow, type Running } from "../../support/spawned.js";
import { type DocsWorld, ORIGIN } from "./docs-world.js";

/** Runs the lines of a page as a reader would type them. */

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
export async function runPage(world: DocsWorld, page: string): Promise<void> {
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
  const onTerminal =
    output !== null || /^calctl (login(?!.*--with-token)|service users password(?!.*<))/.test(line);
  writeFileSync(
    script,
    `set -a; cd; [ ! -f "${state}" ] || . "${state}"; trap 'export -p >"${state}"' EXIT
${onTerminal ? "stty cols 100" : ""}\n${line}\n`,
  );
  if (!onTerminal) return world.shell(`. "${script}"`);
  const running = world.startOnTerminal(`. "${script}"`, { TERM: "xterm" });
  if (line.startsWith("calctl login")) await signIn(world, running, line.includes("--client-id"));
  if (line.includes("users password")) await typePassword(running);
  return running.ended;
}

async function signIn(world: DocsWorld, { child, stdoutWith }: Running, hasSecret: boolean): Promise<void> {
  if (hasSecret) {
    await stdoutWith("Client secret");
    child.stdin?.write(`${world.sample.client_secret}\r`);
  }
  const shown = await stdoutWith("paste the address");
  await world.allowAccess(addressIn(shown.replaceAll("\r", "")));
}

async function typePassword({ child, stdoutWith }: Running): Promise<void> {
  for (const question of ["New password", "The same again"]) {
    await stdoutWith(question);
    child.stdin?.write("correct horse battery\r");
  }
}

/** Runs each command of a crontab as cron does: by /bin/sh, in an environment of little more than its variables. */
export async function runCrontab(world: DocsWorld, text: string): Promise<readonly RunResult[]> {
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
  for (const line of commands) {
    const { command, input } = readCronCommand(line);
    const running = follow(spawn("/bin/sh", ["-c", command], { env, cwd: HOME, stdio: "pipe" }));
    // A command that reads nothing may have ended.
    running.child.stdin?.on("error", () => undefined).end(input);
    const result = await running.ended;
    expect(result, line).toMatchObject({ exitCode: 0, stderr: "" });
    results.push(result);
  }
  return results;
}

/** A percent sign ends the command, unless it is escaped; what is behind it is stdin. @see crontab(5) */
function readCronCommand(line: string): { readonly command: string; readonly input: string } {
  const [command = "", ...input] = line.split(/(?<!\\)%/).map((part) => part.replaceAll("\\%", "%"));
  return { command, input: input.join("\n") };
}

/** Text in which ids, dates, durations and the width of columns do not matter. */
export function comparable(text: string): string {
  return (
    stripVTControlCharacters(text)
      .replaceAll("\r", "")
      .replace(/\b[0-9a-f]{32}\b/g, "EVENT")
      .replace(/[\w-]{12}(?=[),]|$)/gm, "CALENDAR")
      .replace(/\b\d{15,}\b/g, "USER")
      .replace(/\b\d+(\.\d+)?(?= m?s\b)/g, "N")
      .replace(/\b\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?/g, "DATE")
      .replace(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:DATE|\d{1,2} [A-Z][a-z]{2}( \d{4})?)/g, "DATE")
      // The reader's zone.
      .replace(/(?<=DATE \d\d:\d\d )(?:UTC|[A-Z]\w+\/\w+)$/gm, "ZONE")
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

/** Signs in to the service of the docs with a token, which is stored in a file. */
export async function signInWithToken(world: DocsWorld): Promise<void> {
  const argv = ["login", "--with-token", "--insecure-storage", "--base-url", `${ORIGIN}/api`];
  expect(await world.runWith({ stdin: world.sample.token }, ...argv)).toMatchObject({ exitCode: 0 });
}
