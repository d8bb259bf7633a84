import { createHmac, hash, randomBytes, randomUUID, scrypt, timingSafeEqual } from "node:crypto";
import { codePointLength, MAX_PASSWORD } from "../contract/limits.js";

const SECRET_BYTES = 32;

/** A new personal access token: `cal_` and a secret. */
export function createToken(): string {
  return `cal_${createSecret()}`;
}

/** 32 random bytes in base64url: client secrets, authorization codes, browser sessions. @see RFC 6749 §10.10 */
export function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** The token that ties a form to a browser session. The session's secret cannot be derived from it. */
export function csrfToken(sessionSecret: string): string {
  return createHmac("sha256", sessionSecret).update("csrf").digest("base64url");
}

/** Compares in constant time, whatever the lengths. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(expected)));
}

/**
 * The stored form of a token, code, session or client secret: SHA-256, hex. They are random, so unlike passwords they
 * need no slow hash.
 */
export function hashSecret(secret: string): string {
  return hash("sha256", secret);
}

/** 32 lowercase hex digits: events and activities. */
export function createHexId(): string {
  return randomBytes(16).toString("hex");
}

/** 12 base64url characters; the first may be `-` or `_`. */
export function createCalendarId(): string {
  return randomBytes(9).toString("base64url");
}

/** 18 decimal digits without a leading 0. Larger than 2^53, as clients must expect. */
export function createUserId(): string {
  const smallest = 10n ** 17n;
  return String(smallest + (randomBytes(16).readBigUInt64BE() % (9n * smallest)));
}

/** 16 hex digits: ids of tokens and clients, which operators type. */
export function createShortId(): string {
  return randomBytes(8).toString("hex");
}

/** 16 random hex digits: the id of a request. */
export function createRequestId(): string {
  // Node.js keeps random bytes ready for UUIDs. The digits between these have the version.
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(-8);
}

/** Why no user can have a password; null if one can. To be checked before it is hashed or verified. */
export function passwordProblem(password: string): string | null {
  if (codePointLength(password) > MAX_PASSWORD) return `must have at most ${MAX_PASSWORD} characters`;
  return password.includes("\0") ? "must not contain NUL" : null;
}

/** Parameters of scrypt: log2 of N, block size and parallelization. @see RFC 7914 §2 */
export interface PasswordCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and about 100 ms. */
const COST: PasswordCost = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** Hashes a password: `$scrypt$ln=15,r=8,p=3$salt$key`, salt and key in base64. */
export async function hashPassword(password: string, cost: PasswordCost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return format(salt, await derive(password, salt, cost), cost);
}

function format(salt: Buffer, key: Buffer, { ln, r, p }: PasswordCost): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString("base64")}$${key.toString("base64")}`;
}

const STORED = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;

/**
 * Whether a password matches the stored hash of a user, who may have none or may not exist. That takes the same time, so
 * that it does not reveal which logins exist. False if the hash is malformed.
 * @param cost that of the service's new passwords
 */
export async function verifyPassword(
  password: string,
  stored: string | null | undefined,
  cost: PasswordCost = COST,
): Promise<boolean> {
  const placeholder = format(Buffer.alloc(SALT_BYTES), Buffer.alloc(KEY_BYTES), cost);
  const [, ln, r, p, salt = "", key = ""] = STORED.exec(stored ?? placeholder) ?? [];
  const expected = Buffer.from(key, "base64");
  if (expected.length !== KEY_BYTES) return false;
  const storedCost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, "base64"), storedCost);
  return timingSafeEqual(derived, expected) && typeof stored === "string";
}

function derive(password: string, salt: Buffer, { ln, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** ln;
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    // Systems encode the same letters differently. @see NIST SP 800-63B §5.1.1.2
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
