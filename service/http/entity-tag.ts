import { createHash } from "node:crypto";

/** A longer version is hashed (UTF-16 code units). That loads `node:crypto`, which takes 6 ms the first time. */
const LONGEST_PLAIN = 300;

/**
 * The entity tag of a representation. It is weak: those with the same tag mean the same, but may differ in their bytes.
 * @param version what the representation depends on; a client can read it
 * @see RFC 9110 §8.8.3
 */
export function entityTag(version: readonly unknown[]): string {
  const text = JSON.stringify(version);
  const opaque =
    text.length > LONGEST_PLAIN
      ? createHash("sha256").update(text).digest("base64url")
      : Buffer.from(text).toString("base64url");
  return `W/"${opaque}"`;
}

const ENTITY_TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * Whether `If-None-Match` has the entity tag, so that the client has it already. Anything else in it is ignored.
 * @param ifNoneMatch the header; undefined without one
 * @see RFC 9110 §13.1.2
 */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(ENTITY_TAG)].some(([, opaque]) => tag === `W/"${opaque}"`);
}
