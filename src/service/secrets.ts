import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const TOKEN_BYTES = 32;

/** A new personal access token: `cal_` and 32 random bytes in base64url. */
export function createToken(): string {
  return `cal_${randomText()}`;
}

/** A new client secret: 32 random bytes in base64url. */
export function createClientSecret(): string {
  return randomText();
}

/** A new authorization code: 32 random bytes in base64url. @see RFC 6749 §10.10 */
export function createAuthorizationCode(): string {
  return randomText();
}

/** What a browser's cookie holds: 32 random bytes in base64url. */
export function createSessionSecret(): string {
  return randomText();
}

function randomText(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** What a form sends to prove that it comes from a page made for this browser; nobody finds the session from it. */
export function csrfToken(sessionSecret: string): string {
  return createHmac("sha256", sessionSecret).update("csrf").digest("base64url");
}

/** Compares in a time that says nothing about where two secrets differ, nor about their lengths. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(expected)));
}

/**
 * What is stored of a token, a code, a session or a client secret: SHA-256, hex. They are drawn at random, so nothing
 * slower is needed against guessing, unlike for passwords.
 */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** 32 lowercase hex digits: events and activities. */
export function createHexId(): string {
  return randomBytes(16).toString("hex");
}

/** 12 base64url characters; the first may be `-` or `_`. */
export function createCalendarId(): string {
  return randomBytes(9).toString("base64url");
}

/** 18 decimal digits, the first no 0: past 2^53, as clients must expect. */
export function createUserId(): string {
  const smallest = 10n ** 17n;
  return String(smallest + (randomBytes(16).readBigUInt64BE() % (9n * smallest)));
}

/** 16 hex digits: tokens and clients, as an operator names them. */
export function createShortId(): string {
  return randomBytes(8).toString("hex");
}
