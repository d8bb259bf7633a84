import { crc32 } from "node:zlib";

/**
 * 8 hex digits for a token at an origin (`https://host[:port]`), to tell apart what was stored for different accounts. They
 * are of no help in finding a token, which has 128 and more random bits. Not a cryptographic hash: `node:crypto` takes 6 ms,
 * and two accounts of a user with the same checksum would only share a pause and some names.
 */
export function hashAccount({ token, origin }: { readonly token: string; readonly origin: string }): string {
  return crc32(`${origin}\n${token}`).toString(16).padStart(8, "0");
}
