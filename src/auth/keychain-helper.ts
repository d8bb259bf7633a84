import { KEYCHAIN_SERVICE, type KeychainAnswer, type KeychainRequest } from "./keychain-protocol.js";

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
  const request = JSON.parse(await readAll(stdin)) as KeychainRequest;
  stdout.write(JSON.stringify(await answer(request)));
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
  switch (request.action) {
    case "get":
      return { kind: "value", value: await keytar.getPassword(KEYCHAIN_SERVICE, request.account) };
    case "set":
      await keytar.setPassword(KEYCHAIN_SERVICE, request.account, request.secret);
      return { kind: "done", done: true };
    case "delete":
      return { kind: "done", done: await keytar.deletePassword(KEYCHAIN_SERVICE, request.account) };
    case "probe":
      // Reading says nothing: a locked keychain reads as an empty one.
      await keytar.setPassword(KEYCHAIN_SERVICE, PROBE_ACCOUNT, "probe");
      await keytar.deletePassword(KEYCHAIN_SERVICE, PROBE_ACCOUNT);
      return { kind: "done", done: true };
    case "ping":
      await keytar.getPassword(KEYCHAIN_SERVICE, "nobody");
      return { kind: "done", done: true };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function readAll(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString("utf8");
}
