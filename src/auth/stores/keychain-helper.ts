import { errorCodeOf } from "../../errors.js";

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

/** The argument that starts the program as the keychain helper. */
export const KEYCHAIN_HELPER_ARGUMENT = "--keychain-helper";

/** The service of all entries. */
const KEYCHAIN_SERVICE = "calctl";

/** Marks the line with the response: modules that NODE_OPTIONS loads may print other lines. */
export const RESPONSE_PREFIX = "calctl-keychain-response ";

interface HelperStreams {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: { write(text: string): unknown };
}

type Keytar = typeof import("keytar");

const PROBE_ACCOUNT = "probe";

/**
 * Runs one keychain call in its own process, because the library blocks in a thread that only the end of the process
 * interrupts. The request comes from stdin, so that no secret is in arguments or environment.
 */
export async function runKeychainHelper({ stdin, stdout }: HelperStreams): Promise<void> {
  const request = readRequest(await readAll(stdin));
  const reply =
    request === null ? { kind: "failed", reason: "the request is not valid" } : await respond(request);
  // On its own line, after any other output.
  stdout.write(`\n${RESPONSE_PREFIX}${JSON.stringify(reply)}\n`);
}

/** Null when it is not JSON, as when a user tries the argument by hand. */
function readRequest(text: string): KeychainRequest | null {
  try {
    return JSON.parse(text) as KeychainRequest;
  } catch {
    return null;
  }
}

async function respond(request: KeychainRequest): Promise<KeychainResponse> {
  let keytar: Keytar;
  try {
    keytar = (await import("keytar")).default;
  } catch (error) {
    if (errorCodeOf(error) === "MODULE_NOT_FOUND") return { kind: "no_package" };
    return { kind: "no_library", reason: reasonOf(error) };
  }
  try {
    return await perform(keytar, request);
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  }
}

async function perform(keytar: Keytar, request: KeychainRequest): Promise<KeychainResponse> {
  const read = (account: string) => keytar.getPassword(KEYCHAIN_SERVICE, account);
  // Reading is not enough: a locked keychain reads as an empty one.
  const probe = async (): Promise<void> => {
    await keytar.setPassword(KEYCHAIN_SERVICE, PROBE_ACCOUNT, "probe");
    await keytar.deletePassword(KEYCHAIN_SERVICE, PROBE_ACCOUNT);
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
      const existed = await keytar.deletePassword(KEYCHAIN_SERVICE, request.account);
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
