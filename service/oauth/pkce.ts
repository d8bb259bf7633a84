import { createHash } from "node:crypto";
import { sameSecret } from "../secrets.js";

/** @see RFC 7636 §4.2 */
export interface CodeChallenge {
  readonly value: string;
  readonly method: "S256" | "plain";
}

/** 43 to 128 unreserved characters; for S256, a SHA-256 in base64url. */
const FORMATS = { S256: /^[A-Za-z0-9_-]{43}$/, plain: /^[A-Za-z0-9._~-]{43,128}$/ } as const;

/**
 * Parses the PKCE parameters of an authorization request.
 * @returns null without any, and what is wrong with invalid ones
 * @see RFC 7636 §4.3
 */
export function parseChallenge(
  value: string | undefined,
  method: string | undefined,
): CodeChallenge | null | string {
  if (value === undefined)
    return method === undefined ? null : "code_challenge_method needs a code_challenge";
  const chosen = method ?? "plain";
  if (chosen !== "S256" && chosen !== "plain") return "code_challenge_method must be S256 or plain";
  if (!FORMATS[chosen].test(value)) return "code_challenge is not valid according to RFC 7636 section 4.2";
  return { value, method: chosen };
}

/**
 * Whether a verifier matches a challenge. A verifier without a challenge is invalid: an attacker may have removed the
 * challenge from the authorization request (PKCE downgrade). @see RFC 7636 §4.6, RFC 9700 §4.8.2
 */
export function matchesChallenge(verifier: string | undefined, challenge: CodeChallenge | null): boolean {
  if (verifier === undefined || challenge === null) return verifier === undefined && challenge === null;
  if (!FORMATS.plain.test(verifier)) return false;
  const derived =
    challenge.method === "S256" ? createHash("sha256").update(verifier).digest("base64url") : verifier;
  return sameSecret(derived, challenge.value);
}
