import * as v from "valibot";
import { type CliError, configurationError } from "../../errors.js";
import { type ChildEnvironment, childEnvironment, runChildProcess } from "../../system/child-process.js";
import {
  ANSWER_MARK,
  KEYCHAIN_HELPER_ARGUMENT,
  type KeychainAnswer,
  type KeychainRequest,
} from "./keychain-helper.js";
import type { CredentialKey, CredentialStore } from "./store.js";

const answerSchema = v.variant("kind", [
  v.object({ kind: v.literal("value"), value: v.nullable(v.string()) }),
  v.object({ kind: v.literal("removed"), existed: v.boolean(), gone: v.boolean() }),
  v.object({ kind: v.literal("done") }),
  v.object({ kind: v.literal("no_library"), reason: v.string() }),
  v.object({ kind: v.literal("failed"), reason: v.string() }),
]);

/** The answer in what the keychain helper printed; null where there is none, or one that is not of this protocol. */
export function readKeychainAnswer(stdout: string): KeychainAnswer | null {
  const line = stdout.split("\n").findLast((text) => text.startsWith(ANSWER_MARK));
  if (line === undefined) return null;
  try {
    const parsed = v.safeParse(answerSchema, JSON.parse(line.slice(ANSWER_MARK.length)));
    return parsed.success ? parsed.output : null;
  } catch {
    // The parser's message would repeat the text, which may be a token.
    return null;
  }
}

export interface KeychainOptions {
  /** Program and first arguments that start this program again. */
  readonly self: readonly [program: string, ...args: string[]];
  readonly env: ChildEnvironment;
  /** Whether somebody can answer an unlock prompt. */
  readonly interactive: boolean;
  readonly tell: (text: string) => void;
  readonly signal: () => AbortSignal;
}

/** Longest time of one call in milliseconds: a person needs time to unlock, a script must go on. */
const LIMIT = { interactive: 120_000, script: 3_500 } as const;
/** Longest time in which a keychain that is alive says so. */
const PING_LIMIT = 1_000;
/** After this a person is told what is waited for. */
const NOTICE_AFTER = 1_000;
const OUTPUT_MAX = 1024 * 1024;

const WITHOUT_KEYCHAIN =
  "without a keychain: calctl login --insecure-storage keeps the token in a file, CALCTL_TOKEN and CALCTL_TOKEN_FILE work anywhere";

/** The keychain of the system; each call runs in a child that can be killed. */
export function createKeychain(options: KeychainOptions): CredentialStore {
  const call = (request: KeychainRequest) => callHelper(options, request);
  return {
    name: "keychain",
    async probe() {
      await call({ action: "probe" });
    },
    async save(key, token) {
      const answer = await call({ action: "set", account: accountOf(key), secret: token });
      if (answer.kind === "value" && answer.value === token) return;
      throw configurationError("the keychain took the token, but does not give it back", {
        hint: WITHOUT_KEYCHAIN,
      });
    },
    async load(key) {
      const answer = await call({ action: "get", account: accountOf(key) });
      if (answer.kind === "value") return answer.value;
      throw unansweredError("with something else");
    },
    async remove(key) {
      const answer = await call({ action: "remove", account: accountOf(key) });
      if (answer.kind === "removed" && answer.gone) return answer.existed;
      throw configurationError("the keychain does not let go of the token: it is still there", {
        hint: "remove the entry calctl with the system's own keychain program",
      });
    },
  };
}

/** No profile name has a space in it. */
function accountOf({ profile, origin }: CredentialKey): string {
  return `${profile} ${origin}`;
}

type Success = Extract<KeychainAnswer, { readonly kind: "value" | "removed" | "done" }>;

/** @throws CliError configuration, with a sentence for each state a keychain can be in */
async function callHelper(options: KeychainOptions, request: KeychainRequest): Promise<Success> {
  const limit = options.interactive ? LIMIT.interactive : LIMIT.script;
  const notice = setTimeout(() => {
    if (options.interactive) options.tell("waiting for your keychain; Ctrl-C cancels");
  }, NOTICE_AFTER);
  try {
    const answer = await runHelper(options, request, limit);
    if (answer === null) throw await silenceError(options, limit);
    if (answer.kind === "no_library") throw libraryError(answer.reason);
    if (answer.kind === "failed") throw await refusalError(options, request, answer.reason);
    return answer;
  } finally {
    clearTimeout(notice);
  }
}

/** Null when no answer came in time. */
async function runHelper(
  { self: [program, ...args], env, signal }: KeychainOptions,
  request: KeychainRequest,
  limit: number,
): Promise<KeychainAnswer | null> {
  const result = await runChildProcess({
    program,
    args: [...args, KEYCHAIN_HELPER_ARGUMENT],
    env: childEnvironment(env),
    input: JSON.stringify(request),
    stderr: "ignore",
    timeout: limit,
    maxOutput: OUTPUT_MAX,
    signal: signal(),
  });
  if (result.kind === "timeout") return null;
  if (result.kind === "not_started") throw unansweredError(`it cannot be started: ${result.code}`);
  if (result.kind === "output_too_large") throw unansweredError("it said too much");
  const answer = readKeychainAnswer(result.stdout);
  if (answer !== null) return answer;
  throw unansweredError(`it ended with ${result.exitCode ?? "a signal"}`);
}

/** Who answers a harmless question is alive, and waits for a person. */
async function silenceError(options: KeychainOptions, limit: number): Promise<CliError> {
  const alive = (await runHelper(options, { action: "ping" }, PING_LIMIT)) !== null;
  const seconds = limit / 1000;
  if (alive) {
    return configurationError(
      `the keychain is locked, and nobody answered its question within ${seconds} seconds`,
      { hint: `unlock it and try again; ${WITHOUT_KEYCHAIN}` },
    );
  }
  return configurationError(`the keychain gave no answer within ${seconds} seconds: its service hangs`, {
    hint: `restart it (on Linux often gnome-keyring-daemon); ${WITHOUT_KEYCHAIN}`,
  });
}

function libraryError(reason: string): CliError {
  return configurationError("the keychain's library cannot be loaded", {
    hint: `on Debian and Ubuntu: apt-get install libsecret-1-0; ${WITHOUT_KEYCHAIN}`,
    cause: new Error(reason),
  });
}

function unansweredError(what: string): CliError {
  return configurationError(`the helper that asks the keychain gave no answer (${what})`, {
    hint: `try again; ${WITHOUT_KEYCHAIN}`,
  });
}

/** A keychain that answers the ping but takes no entry is locked; one that does not is no keychain. */
async function refusalError(
  options: KeychainOptions,
  request: KeychainRequest,
  reason: string,
): Promise<CliError> {
  const ping = request.action === "ping" ? null : await runHelper(options, { action: "ping" }, PING_LIMIT);
  if (ping?.kind === "done") {
    return configurationError(`the keychain is locked or cannot be written: ${reason}`, {
      hint: `unlock it and try again; ${WITHOUT_KEYCHAIN}`,
    });
  }
  return configurationError(`there is no keychain in this session: ${reason}`, { hint: WITHOUT_KEYCHAIN });
}
