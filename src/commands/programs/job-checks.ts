import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type Environment, SECRET_VARIABLES } from "../../config/environment.js";
import { type CliError, configurationError, errorCodeOf, fileProblemOf } from "../../errors.js";
import type { Machine } from "../../run/machine.js";
import type { Run } from "../../run/run.js";
import { selfCommand } from "../../system/child-process.js";
import { makePrivateFolder } from "../../system/ownership.js";

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
      hint: `${room}CALCTL_${name.toUpperCase()}_DIR names another folder`,
      cause,
    });
    return { name, path, error };
  }
}
