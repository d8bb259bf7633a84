import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Command } from "commander";
import { checkService, clockSkew, type ServiceCheck } from "../../api/service-check.js";
import { addAction, describeCommand, type RunOf, requireChosenService } from "../../cli/command.js";
import { type Environment, SECRET_VARIABLES } from "../../config/environment.js";
import { addTargetFlags, type TargetFlags } from "../../delivery/target.js";
import { CliError, configurationError, errorCodeOf, fileProblemOf } from "../../errors.js";
import { type Check, checkView } from "../../output/views/check.js";
import { shellLine } from "../../output/words.js";
import type { Machine } from "../../run/machine.js";
import type { Run } from "../../run/run.js";
import { selfCommand } from "../../system/child-process.js";
import { makePrivateFolder } from "../../system/ownership.js";
import { describeLocal, formatLocal } from "../../time/zoned-time.js";

interface DoctorOptions extends TargetFlags {
  /** A saved target, or addresses of mail. */
  readonly to?: string;
}

export function registerDoctor(command: Command, runOf: RunOf): void {
  command.option("--to <name>", "also check a saved target, or with --as mail an address, without posting");
  addTargetFlags(command);
  describeCommand(command, {
    prints: { view: checkView, count: "list" },
    examples: () => [
      ["Check the setup, and print a crontab line", "calctl doctor"],
      ["Only the problems, for a script", "calctl doctor --jq '.[] | select(.ok | not) | .detail'"],
    ],
  });
  addAction(command, runOf, runDoctor);
}

/** Checks what an unattended job needs, and prints its crontab line. The report is printed even if a check fails. */
async function runDoctor(run: Run, options: DoctorOptions): Promise<void> {
  const { to, as } = options;
  const output = run.output.of(checkView);
  const jobs = createJobChecks(run);
  const results = [
    ...(await checkAccount(run, jobs)),
    await attempt("time zone", () => describeZone(run)),
    ...(await checkFolders(jobs)),
    ...(to === undefined && as === undefined
      ? []
      : [await attempt("target", () => checkTarget(jobs, options))]),
  ];
  const failure = results.find(({ error }) => error !== null);
  const lines = failure === undefined ? scheduleLines(run, { jobs, options }) : [];
  await output.print([...results.map(({ check }) => check), ...lines]);
  if (failure !== undefined) throw failure.error;
}

/** A check, and the error that ends the command if it is the first one. */
interface CheckResult {
  readonly check: Check;
  readonly error: unknown;
}

/** What a check that did not fail says. */
type Finding = Pick<Check, "detail"> & Partial<Pick<Check, "hint">>;

async function attempt(name: string, work: () => Promise<Finding> | Finding): Promise<CheckResult> {
  try {
    const { detail, hint = null } = await work();
    return { check: { check: name, ok: true, detail, hint }, error: null };
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "interrupted") throw error;
    return { check: { check: name, ok: false, detail: error.message, hint: error.hint ?? null }, error };
  }
}

/** Service, token and clock. Each needs the one before. */
async function checkAccount(run: Run, jobs: JobChecks): Promise<readonly CheckResult[]> {
  const profile = await attempt("profile", () => {
    const settings = run.config.settings();
    requireChosenService(settings, { sends: false });
    const { service } = settings;
    const address = service.kind === "local" ? "the embedded service" : service.baseUrl.value;
    return { detail: settings.profile === null ? address : `${settings.profile}: ${address}` };
  });
  if (profile.error !== null) return [profile];
  const token = await attempt("token", () => checkToken(run, jobs));
  if (token.error !== null) return [profile, token];
  const answer = await checkService(run.api);
  const service = await attempt("service", () => {
    if (answer.user === null) throw answer.error;
    return { detail: `signed in as ${answer.user.name ?? answer.user.id}` };
  });
  return [
    profile,
    token,
    service,
    ...(service.error === null ? [await attempt("clock", () => checkClock(answer))] : []),
  ];
}

async function checkToken({ session }: Run, jobs: JobChecks): Promise<Finding> {
  const { tokenSource, tokenError, baseUrl } = await session.status();
  if (tokenError !== null) throw tokenError;
  if (baseUrl === null) return { detail: "no token is needed" };
  if (tokenSource === "keychain") {
    await readFromKeychain(jobs);
    return { detail: "from the keychain, which can be read without a desktop session" };
  }
  if (tokenSource === "CALCTL_TOKEN_FILE") return describeFile("from CALCTL_TOKEN_FILE", tokenSource, jobs);
  const detail = `from ${tokenSource ?? "no source"}`;
  if (!isMissingInCron(tokenSource ?? "")) return { detail };
  const hint = `write it into a file that only you can read, and ${settingFor("CALCTL_TOKEN_FILE", jobs)}`;
  return { detail: `${detail}, which ${MISSING_IN_JOB[jobs.scheduler]}`, hint };
}

/** Whether a secret comes from the shell, or from the unit of systemd that this run is of. */
function isMissingInCron(source: string): boolean {
  return /^(?:CALCTL_TOKEN|CALCTL_WEBHOOK_URL|CREDENTIALS_DIRECTORY)(?::|$)/.test(source);
}

/** A loose mode is said, but is no failure: secrets in containers can be read by everyone there. */
function describeFile(
  detail: string,
  variable: Parameters<JobChecks["looseMode"]>[0],
  { looseMode }: JobChecks,
): Finding {
  const mode = looseMode(variable);
  if (mode === null) return { detail };
  return {
    detail: `${detail}, which other users of this machine may use (mode ${mode})`,
    hint: `chmod 600 "$${variable}", unless you are the only user of this machine`,
  };
}

async function readFromKeychain(jobs: JobChecks): Promise<void> {
  try {
    await jobs.withoutSession.session.token();
  } catch (cause) {
    if (!(cause instanceof CliError) || cause.code === "interrupted") throw cause;
    throw configurationError(
      "the token is in the keychain, which a job without a desktop session cannot read",
      {
        hint: `sign in again with calctl login --insecure-storage, or ${settingFor("CALCTL_TOKEN_FILE", jobs)}`,
        cause,
      },
    );
  }
}

/** Reaches the target as far as that is possible without posting. */
async function checkTarget(jobs: JobChecks, { to, as, chat, topic }: DoctorOptions): Promise<Finding> {
  const targets = await jobs.withoutSession.targets();
  const target = await targets.open({ to, as, chat, topic });
  const { kind, name } = target;
  await target.check();
  if (kind === "mail") return { detail: `mail to ${name}` };
  if (name.startsWith("CALCTL_WEBHOOK_URL_FILE"))
    return describeFile(`${name}, for ${kind}`, "CALCTL_WEBHOOK_URL_FILE", jobs);
  if (!isMissingInCron(name)) return { detail: `${name}, for ${kind}` };
  const hint = `write it into a file that only you can read, and ${settingFor("CALCTL_WEBHOOK_URL_FILE", jobs)}, or use calctl targets add`;
  return { detail: `${name}, for ${kind}, which ${MISSING_IN_JOB[jobs.scheduler]}`, hint };
}

/** Why a variable of this run is not enough. */
const MISSING_IN_JOB: Readonly<Record<JobChecks["scheduler"], string>> = {
  crontab: "is not set in a cron job",
  "task scheduler": "a task has only if it was set with setx",
};

/** How a job gets a variable. */
function settingFor(variable: string, { scheduler }: JobChecks): string {
  return scheduler === "crontab" ? `set ${variable} in the crontab` : `set ${variable} with setx`;
}

/** Reminders and digests of the wrong minute are wrong. */
const MAX_SKEW = 60;

function checkClock(answer: ServiceCheck): Finding {
  const skew = clockSkew(answer);
  if (skew === null) return { detail: "the service does not send its time" };
  const detail = `${Math.abs(skew)} s ${skew < 0 ? "behind" : "ahead of"} the service's`;
  if (Math.abs(skew) <= MAX_SKEW) return { detail: skew === 0 ? "in sync with the service" : detail };
  throw configurationError(`this machine's clock is ${detail}`, {
    hint: "let the system set the clock (NTP)",
  });
}

function describeZone({ config, now }: Run): Finding {
  const { timezone } = config.settings();
  return { detail: describeLocal(formatLocal(now(), timezone), timezone) };
}

async function checkFolders({ folders, checkState }: JobChecks): Promise<readonly CheckResult[]> {
  const check = ({ name, path, error }: FolderCheck) =>
    attempt(`${name} folder`, async () => {
      if (error !== null) throw error;
      if (name === "state") await checkState();
      return { detail: path };
    });
  return Promise.all(folders().map(check));
}

interface ScheduleOptions {
  readonly jobs: JobChecks;
  readonly options: DoctorOptions;
}

/** What starts a digest at seven in the morning, and tries it again until eight. */
function scheduleLines(
  { config, flags }: Run,
  { jobs, options: { to, as, chat, topic } }: ScheduleOptions,
): readonly Check[] {
  // Named, so that the job does not depend on what is in use later.
  const { profile, timezone } = config.settings();
  const calendars = flags.calendars.flatMap((calendar) => ["-c", calendar]);
  const source = [...(profile === null ? [] : ["-p", profile]), ...calendars, "--timezone", timezone];
  const target = [
    ...(to === undefined && as !== undefined ? [] : ["--to", to ?? "NAME"]),
    ...(as === undefined ? [] : ["--as", as]),
    ...(chat === undefined ? [] : ["--chat", chat]),
    ...(topic === undefined ? [] : ["--topic", topic]),
  ];
  const words = [...jobs.command, "post", ...source, ...target, "--once"];
  const lines = (jobs.scheduler === "crontab" ? crontabLines : taskLines)(words, jobs.variables);
  return lines.map((detail) => ({ check: jobs.scheduler, ok: true, detail, hint: null }));
}

type Variables = JobChecks["variables"];

function crontabLines(words: readonly string[], variables: Variables): readonly string[] {
  // cron takes a percent sign for the end of the line.
  const line = `*/10 7 * * * ${shellLine(words).replaceAll("%", "\\%")}`;
  return [...Object.entries(variables).map(([name, value]) => `${name}=${value}`), line];
}

/** For the command prompt of Windows. A task has the variables that `setx` has set. */
function taskLines(words: readonly string[], variables: Variables): readonly string[] {
  const program = words.map((word) => (/^[\w@+=:,.\\/-]+$/.test(word) ? word : `\\"${word}\\"`)).join(" ");
  return [
    ...Object.entries(variables).map(([name, value]) => `setx ${name} "${value}"`),
    `schtasks /Create /TN calctl-digest /SC DAILY /ST 07:00 /RI 10 /DU 01:00 /TR "${program}"`,
  ];
}

/** What only a desktop session has: with these, a keychain can be reached. */
const SESSION_VARIABLES = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"];

function withoutSession(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SESSION_VARIABLES.includes(name)));
}

/** Variables that a job must have as well, to find the same as this run. */
const COPIED_VARIABLES =
  /^(?:CALCTL_.*|XDG_(?:CONFIG|DATA|STATE|CACHE)_HOME|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;

/** A folder that calctl writes in. */
export interface FolderCheck {
  readonly name: "config" | "data" | "state" | "cache";
  readonly path: string;
  /** Null when it can be written to. */
  readonly error: CliError | null;
}

/** What a job that runs with no one there needs of this machine. */
export type JobChecks = ReturnType<typeof createJobChecks>;

/** Checks for `doctor`. */
export function createJobChecks({ machine, program, state }: Run) {
  const { process, env, configFile, directories } = machine;
  const folders: readonly (readonly [FolderCheck["name"], () => string])[] = [
    ["config", () => join(configFile.path, "..")],
    ["data", directories.data],
    ["state", directories.state],
    ["cache", directories.cache],
  ];
  return {
    /** Program and arguments that start calctl again. */
    command: selfCommand(process),
    /** What starts jobs on this machine. */
    scheduler: process.platform === "win32" ? ("task scheduler" as const) : ("crontab" as const),
    /** The mode of the file that a variable names, where others may read or write it; otherwise null. */
    looseMode: (variable: "CALCTL_TOKEN_FILE" | "CALCTL_WEBHOOK_URL_FILE"): string | null =>
      process.platform === "win32" ? null : findLooseMode(env[variable] ?? ""),
    /** The variables of this run that decide what is found, without secrets. */
    variables: { ...homeVariable(machine), ...copiedVariables(env) },
    folders: () => folders.map(([name, pathOf]) => checkFolder(name, pathOf())),
    /** Opens `state.db`, if there is one: to create it is for jobs, which may be another user's. @throws CliError configuration when jobs could not use it */
    async checkState(): Promise<void> {
      if (existsSync(machine.stateFile())) await state.sent();
    },
    /** The session and the targets of messages as a job without a desktop session has them. */
    withoutSession: program.runIn(withoutSession(env)),
  };
}

/** Such as `644`, of a file that others may read or write; null for any other, and for a pipe. */
function findLooseMode(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & 0o077) !== 0 ? (found.mode & 0o777).toString(8) : null;
}

/** HOME where it is not that of the user database, which a job has. */
function homeVariable({
  env: { HOME },
  process: { platform },
}: Pick<Machine, "env" | "process">): Readonly<Record<string, string>> {
  const isOther = HOME !== undefined && isAbsolute(HOME) && platform !== "win32" && HOME !== registeredHome();
  return isOther ? { HOME } : {};
}

/** The home folder of the user database; null without an entry. */
function registeredHome(): string | null {
  try {
    return userInfo().homedir;
  } catch (_noEntry) {
    return null;
  }
}

/** Variables with the name of a file or folder. A job starts in another one, so these are made absolute. */
const PATH_VARIABLES = /^(?:CALCTL_.*_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS)$/;

function copiedVariables(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      if (!COPIED_VARIABLES.test(name) || !value || isSecret(name, value)) return [];
      return [[name, PATH_VARIABLES.test(name) ? resolve(value) : value]];
    }),
  );
}

/** A proxy or a database may have a password, with and without a scheme. */
function isSecret(name: string, value: string): boolean {
  if (SECRET_VARIABLES.some((variable) => variable === name)) return true;
  return /_proxy$/i.test(name) ? value.includes("@") : /:\/\/[^/]*@/.test(value);
}

/** As large as a block of most file systems (bytes). */
const PROBE_SIZE = 4096;

/** Writes a file and removes it. */
function checkFolder(name: FolderCheck["name"], path: string): FolderCheck {
  const file = join(path, `probe-${randomBytes(8).toString("hex")}`);
  try {
    makePrivateFolder(path);
    try {
      // On a full disk a file can often be created, but nothing be written into it.
      writeFileSync(file, Buffer.alloc(PROBE_SIZE), { flag: "wx", mode: 0o600, flush: true });
    } finally {
      rmSync(file, { force: true });
    }
    return { name, path, error: null };
  } catch (cause) {
    const room = errorCodeOf(cause) === "ENOSPC" ? "free some space on its disk, or " : "";
    const error = configurationError(`${path} cannot be written to (${fileProblemOf(cause)})`, {
      hint: `${room}CALCTL_${name.toUpperCase()}_DIR can name another folder`,
      cause,
    });
    return { name, path, error };
  }
}
