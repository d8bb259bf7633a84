import { createHash } from "node:crypto";

/** A longer version is hashed, which takes `node:crypto`, 6 ms at the first time. In characters. */
const LONGEST_PLAIN = 300;

/**
 * The entity tag of an answer. It is weak: answers with the same tag say the same, and need not be the same bytes.
 * @param version what the answer depends on, as JSON; a client can read it
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
 * Whether a client has the answer already, by the header that it sent. What is not an entity tag in it is ignored.
 * @param condition `If-None-Match`; undefined without one
 * @see RFC 9110 §13.1.2
 */
export function isKnownTo(condition: string | undefined, tag: string): boolean {
  if (condition === undefined) return false;
  if (condition.trim() === "*") return true;
  return [...condition.matchAll(ENTITY_TAG)].some(([, opaque]) => tag === `W/"${opaque}"`);
}
