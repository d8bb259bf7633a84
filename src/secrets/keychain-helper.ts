import { errorCodeOf } from "../errors.js";

/** A request to the keychain helper: one JSON text on its stdin. */
export type KeychainRequest =
  /** Reads an entry. If there is none, it probes, since a locked keychain also reads as empty. */
  | { readonly action: "get"; readonly account: string }
  /** Stores an entry and reads it back. */
  | { readonly action: "set"; readonly account: string; readonly secret: string }
  /** Removes an entry and verifies that it is gone. */
  | { readonly action: "remove"; readonly account: string }
  /** Writes and removes a test entry. */
  | { readonly action: "probe" }
  /** Reads an entry that never exists. That needs no unlocking, so a running service responds at once. */
  | { readonly action: "ping" };

/** The response of the keychain helper: one JSON text on its stdout. */
export type KeychainResponse =
  /** To `get` and `set`: the entry, null for none. */
  | { readonly kind: "value"; readonly value: string | null }
  /** To `remove`. */
  | { readonly kind: "removed"; readonly existed: boolean; readonly gone: boolean }
  /** To `probe` and `ping`. */
  | { readonly kind: "done" }
  /** npm did not install the package. */
  | { readonly kind: "no_package" }
  /** The library cannot be loaded. */
  | { readonly kind: "no_library"; readonly reason: string }
  /** The keychain refused. */
  | { readonly kind: "failed"; readonly reason: string };

/** The service of all entries. */
const KEYCHAIN_SERVICE = "calctl";

/** Marks the line with the response: modules that NODE_OPTIONS loads may print other lines. */
export const RESPONSE_PREFIX = "calctl-keychain-response ";

/** The part of Node's process that the helper uses. */
export interface HelperProcess {
  readonly pid: number;
  readonly platform: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: { write(text: string): unknown };
}

type Keytar = typeof import("keytar");

/**
 * Probes share this many accounts, by process id. A killed probe leaves an entry behind, which the next probe of the same
 * account removes.
 */
const PROBE_ACCOUNTS = 100;

/** The account of a probe's entry: processes that run at once hardly ever share one. @param pid of the helper */
export function probeAccountOf(pid: number): string {
  return `probe ${pid % PROBE_ACCOUNTS}`;
}

type Caller = Pick<HelperProcess, "pid" | "platform">;

/** How often a read or a removal is attempted that other processes may disturb. */
const MAX_ATTEMPTS = 10;

/**
 * Secret Service searches for entries and then opens each, which fails if another process has just removed one. Its errors
 * have no code, so any is taken for this. Elsewhere an error may be the refusal of a user, who would be asked again.
 */
async function repeatedly<T>(call: () => Promise<T>, { platform }: Caller): Promise<T> {
  const attempts = ["darwin", "win32"].includes(platform) ? 1 : MAX_ATTEMPTS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= attempts) throw error;
    }
  }
}

/**
 * Runs one keychain call in its own process, because the library blocks in a thread that only the end of the process
 * interrupts. The request comes from stdin, so that no secret is in arguments or environment.
 */
export async function runKeychainHelper({ stdin, stdout, pid, platform }: HelperProcess): Promise<void> {
  const request = readRequest(await readAll(stdin));
  const reply =
    request === null
      ? { kind: "failed", reason: "the request is not valid" }
      : await respond(request, { pid, platform });
  // On its own line, after any other output.
  stdout.write(`\n${RESPONSE_PREFIX}${JSON.stringify(reply)}\n`);
}

/** Null when it is no request, as when a user tries the argument by hand. */
function readRequest(text: string): KeychainRequest | null {
  try {
    const request: Partial<KeychainRequest> | null = JSON.parse(text);
    return request?.action === undefined ? null : (request as KeychainRequest);
  } catch {
    return null;
  }
}

async function respond(request: KeychainRequest, caller: Caller): Promise<KeychainResponse> {
  let keytar: Keytar;
  try {
    keytar = (await import("keytar")).default;
  } catch (error) {
    if (errorCodeOf(error) === "MODULE_NOT_FOUND") return { kind: "no_package" };
    return { kind: "no_library", reason: reasonOf(error) };
  }
  try {
    return await perform(keytar, request, caller);
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  }
}

async function perform(keytar: Keytar, request: KeychainRequest, caller: Caller): Promise<KeychainResponse> {
  const read = (account: string) => repeatedly(() => keytar.getPassword(KEYCHAIN_SERVICE, account), caller);
  const remove = (account: string) =>
    repeatedly(() => keytar.deletePassword(KEYCHAIN_SERVICE, account), caller);
  // Reading is not enough: a locked keychain reads as an empty one.
  const probe = async (): Promise<void> => {
    const account = probeAccountOf(caller.pid);
    await keytar.setPassword(KEYCHAIN_SERVICE, account, "probe");
    await remove(account);
  };
  switch (request.action) {
    case "get": {
      const value = await read(request.account);
      if (value === null) await probe();
      return { kind: "value", value };
    }
    case "set":
      await keytar.setPassword(KEYCHAIN_SERVICE, request.account, request.secret);
      return { kind: "value", value: await read(request.account) };
    case "remove": {
      const existed = await remove(request.account);
      const gone = (await read(request.account)) === null;
      if (gone) await probe();
      return { kind: "removed", existed, gone };
    }
    case "probe":
      await probe();
      return { kind: "done" };
    case "ping":
      await read("nobody");
      return { kind: "done" };
  }
  return { kind: "failed", reason: "the request is not valid" };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function readAll(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString("utf8");
}
