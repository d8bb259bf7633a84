import { createHash, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

/** A new personal access token: `cal_` and 32 random bytes in base64url. */
export function createToken(): string {
  return `cal_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

/** A new client secret: 32 random bytes in base64url. */
export function createClientSecret(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/**
 * What is stored of a token or a client secret: SHA-256, hex. They are drawn at random, so nothing slower is needed
 * against guessing, unlike for passwords.
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
