/** What goes over the pipes between the program and its keychain helper: one JSON text each way. */

export type KeychainRequest =
  /** Reads an entry; where there is none, it makes sure that the keychain is not merely locked. */
  | { readonly action: "get"; readonly account: string }
  /** Keeps an entry and reads it back. */
  | { readonly action: "set"; readonly account: string; readonly secret: string }
  /** Removes an entry and looks whether it is gone. */
  | { readonly action: "remove"; readonly account: string }
  /** Writes and removes an entry of its own. */
  | { readonly action: "probe" }
  /** Looks for what is never there: it needs no unlocking, so a service that is alive answers at once. */
  | { readonly action: "ping" };

export type KeychainAnswer =
  /** Of `get` and `set`: what is there, null for nothing. */
  | { readonly kind: "value"; readonly value: string | null }
  /** Of `remove`: whether there was an entry, and whether there is none now. */
  | { readonly kind: "removed"; readonly existed: boolean; readonly gone: boolean }
  /** Of `probe` and `ping`. */
  | { readonly kind: "done" }
  /** The library cannot be loaded. */
  | { readonly kind: "no_library"; readonly reason: string }
  /** The keychain refused. */
  | { readonly kind: "failed"; readonly reason: string };

/** First and only argument that makes the program its own helper. */
export const KEYCHAIN_HELPER_ARGUMENT = "--keychain-helper";

/** Name of the service under which entries are kept. */
export const KEYCHAIN_SERVICE = "calctl";

/** Begins the line of the answer: what NODE_OPTIONS loads into every Node may print as well. */
export const ANSWER_MARK = "calctl-keychain-answer ";

interface HelperStreams {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: { write(text: string): unknown };
}

type Keytar = typeof import("keytar");

const PROBE_ACCOUNT = "probe";

/**
 * One keychain call in a process of its own: the library blocks in a thread that nothing but the end of the process
 * interrupts. The request comes from stdin, so that no secret is ever in arguments or environment.
 */
export async function runKeychainHelper({ stdin, stdout }: HelperStreams): Promise<void> {
  const request = readRequest(await readAll(stdin));
  const reply = request === null ? { kind: "failed", reason: "it was asked nothing" } : await answer(request);
  // A line of its own, behind whatever else has printed.
  stdout.write(`\n${ANSWER_MARK}${JSON.stringify(reply)}\n`);
}

/** Null for what is no request: a person who tries the argument by hand. */
function readRequest(text: string): KeychainRequest | null {
  try {
    return JSON.parse(text) as KeychainRequest;
  } catch {
    return null;
  }
}

async function answer(request: KeychainRequest): Promise<KeychainAnswer> {
  let keytar: Keytar;
  try {
    keytar = (await import("keytar")).default;
  } catch (error) {
    return { kind: "no_library", reason: reasonOf(error) };
  }
  try {
    return await perform(keytar, request);
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  }
}

async function perform(keytar: Keytar, request: KeychainRequest): Promise<KeychainAnswer> {
  const read = (account: string) => keytar.getPassword(KEYCHAIN_SERVICE, account);
  // Reading says nothing: a locked keychain reads as an empty one.
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
  return { kind: "failed", reason: "it was asked for what it does not know" };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function readAll(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString("utf8");
}
