import * as v from "valibot";
import { parseJson } from "../../contract/json.js";
import { childEnvironment, type Environment } from "../config/environment.js";
import { type CliError, configurationError } from "../errors.js";
import { runChildProcess, type SelfCommand } from "../system/child-process.js";
import { KEYCHAIN_HELPER_ARGUMENT } from "../system/helper-arguments.js";
import { type KeychainRequest, type KeychainResponse, RESPONSE_PREFIX } from "./keychain-helper.js";
import { accountOf, SECRET_LABELS, type SecretKey, type SecretStore, type StoreOptions } from "./store.js";

const responseSchema = v.variant("kind", [
  v.object({ kind: v.literal("value"), value: v.nullable(v.string()) }),
  v.object({ kind: v.literal("removed"), existed: v.boolean(), gone: v.boolean() }),
  v.object({ kind: v.literal("done") }),
  v.object({ kind: v.literal("no_package") }),
  v.object({ kind: v.literal("no_library"), reason: v.string() }),
  v.object({ kind: v.literal("failed"), reason: v.string() }),
]);

/** The response in the output of the keychain helper; null without a valid one. */
function parseResponse(stdout: string): KeychainResponse | null {
  const line = stdout.split("\n").findLast((text) => text.startsWith(RESPONSE_PREFIX));
  const parsed = v.safeParse(responseSchema, parseJson(line?.slice(RESPONSE_PREFIX.length) ?? ""));
  return parsed.success ? parsed.output : null;
}

export interface KeychainOptions extends StoreOptions {
  /** Starts this program again, as the keychain's helper. */
  readonly self: SelfCommand;
  readonly env: Environment;
}

/** For one call, in milliseconds. A person needs time to unlock the keychain. */
const TIMEOUT = { interactive: 120_000, script: 3_000 } as const;
/** For a keychain that is running to respond to a ping (ms). */
const PING_TIMEOUT = 1_500;
/** Before the user is shown what the program waits for (ms). */
const NOTICE_AFTER = 1_000;
const MAX_OUTPUT = 1024 * 1024;

/** The keychain of the system. Each call runs in a child process, which can be killed. */
export function createKeychain(options: KeychainOptions): SecretStore {
  const call = (request: KeychainRequest) => callHelper(options, request);
  return {
    name: "keychain",
    async probe() {
      await call({ action: "probe" });
    },
    async save(key, secret) {
      const response = await call({ action: "set", account: accountOf(key), secret });
      if (response.kind === "value" && response.value === secret) return;
      throw unusable(options, `the keychain stored the ${nounOf(key)}, but reads it back differently`);
    },
    async load(key) {
      const response = await call({ action: "get", account: accountOf(key) });
      if (response.kind === "value") return response.value;
      throw helperError(options, "unexpected response");
    },
    async remove(key) {
      const response = await call({ action: "remove", account: accountOf(key) });
      if (response.kind === "removed" && response.gone) return response.existed;
      throw configurationError(`the keychain did not remove the ${nounOf(key)}`, {
        hint: "remove the entry calctl with the keychain program of your system",
      });
    },
  };
}

function nounOf({ kind }: SecretKey): string {
  return SECRET_LABELS[kind].noun;
}

type Success = Extract<KeychainResponse, { readonly kind: "value" | "removed" | "done" }>;

/** @throws CliError configuration with a message for each state of a keychain */
async function callHelper(options: KeychainOptions, request: KeychainRequest): Promise<Success> {
  const isInteractive = options.interactive();
  const timeout = isInteractive ? TIMEOUT.interactive : TIMEOUT.script;
  const notice = setTimeout(() => {
    if (isInteractive) options.warn("waiting for your keychain; Ctrl-C cancels");
  }, NOTICE_AFTER);
  try {
    const response = await runHelper(options, request, timeout);
    if (response === null) throw await timeoutError(options, timeout);
    if (response.kind === "no_package") {
      const advice = "install calctl again without --omit=optional";
      throw unusable(options, "the keychain cannot be used: the package keytar is not installed", { advice });
    }
    if (response.kind === "no_library") {
      const advice = "on Debian and Ubuntu: apt-get install libsecret-1-0";
      const cause = new Error(response.reason);
      throw unusable(options, "the keychain's library cannot be loaded", { advice, cause });
    }
    if (response.kind === "failed") throw await refusalError(options, request, response.reason);
    return response;
  } finally {
    clearTimeout(notice);
  }
}

/** Null when it timed out. */
async function runHelper(
  options: KeychainOptions,
  request: KeychainRequest,
  timeout: number,
): Promise<KeychainResponse | null> {
  const {
    self: [program, ...args],
    env,
    signal,
  } = options;
  const result = await runChildProcess({
    program,
    args: [...args, KEYCHAIN_HELPER_ARGUMENT],
    env: childEnvironment(env),
    input: JSON.stringify(request),
    stderr: "ignore",
    timeout,
    maxOutput: MAX_OUTPUT,
    signal: signal(),
  });
  if (result.kind === "timeout") return null;
  if (result.kind === "not_started") throw helperError(options, `could not be started: ${result.code}`);
  if (result.kind === "output_too_large") throw helperError(options, "output too large");
  const response = parseResponse(result.stdout);
  if (response !== null) return response;
  throw helperError(options, result.exitCode === null ? "ended by a signal" : `exit code ${result.exitCode}`);
}

interface Remedy {
  /** What to do before, or instead of, going without a keychain. */
  readonly advice?: string;
  readonly cause?: unknown;
}

function unusable({ purpose }: KeychainOptions, message: string, { advice, cause }: Remedy = {}): CliError {
  const { withoutKeychain } = SECRET_LABELS[purpose];
  return configurationError(message, {
    hint: advice === undefined ? withoutKeychain : `${advice}; ${withoutKeychain}`,
    cause,
  });
}

function helperError(options: KeychainOptions, reason: string): CliError {
  return unusable(options, `the keychain helper failed (${reason})`, { advice: "try again" });
}

const UNLOCK = { advice: "unlock it and try again" };

/** A keychain that still answers a ping is waiting to be unlocked. */
async function timeoutError(options: KeychainOptions, timeout: number): Promise<CliError> {
  const isRunning = (await runHelper(options, { action: "ping" }, PING_TIMEOUT)) !== null;
  const seconds = timeout / 1000;
  if (isRunning)
    return unusable(options, `the keychain is locked, and was not unlocked in ${seconds} seconds`, UNLOCK);
  const advice = "restart it (on Linux often gnome-keyring-daemon)";
  const message = `the keychain did not respond in ${seconds} seconds: its service hangs`;
  return unusable(options, message, { advice });
}

/** A keychain that answers a ping but refuses a request is locked; without a response there is none. */
async function refusalError(
  options: KeychainOptions,
  request: KeychainRequest,
  reason: string,
): Promise<CliError> {
  const ping = request.action === "ping" ? null : await runHelper(options, { action: "ping" }, PING_TIMEOUT);
  return ping?.kind === "done"
    ? unusable(options, `the keychain is locked or cannot be written: ${reason}`, UNLOCK)
    : unusable(options, `there is no keychain in this session: ${reason}`);
}
