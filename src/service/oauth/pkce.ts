import { createHash } from "node:crypto";
import { sameSecret } from "../secrets.js";

/** What a client proves later that it knows the verifier of. @see RFC 7636 §4.2 */
export interface CodeChallenge {
  readonly value: string;
  readonly method: "S256" | "plain";
}

/** Lengths and letters of a challenge: 43 to 128 unreserved ones, for S256 a SHA-256 in base64url. */
const FORMS = { S256: /^[A-Za-z0-9_-]{43}$/, plain: /^[A-Za-z0-9._~-]{43,128}$/ } as const;

export type ChallengeReading =
  | { readonly kind: "challenge"; readonly challenge: CodeChallenge | null }
  | { readonly kind: "wrong"; readonly problem: string };

/** Reads the PKCE parameters of an authorization request; without any there is no challenge. @see RFC 7636 §4.3 */
export function readChallenge(value: string | undefined, method: string | undefined): ChallengeReading {
  const wrong = (problem: string) => ({ kind: "wrong", problem }) as const;
  if (value === undefined) {
    if (method === undefined) return { kind: "challenge", challenge: null };
    return wrong("code_challenge_method needs a code_challenge");
  }
  const known = method ?? "plain";
  if (known !== "S256" && known !== "plain") return wrong("code_challenge_method must be S256 or plain");
  if (!FORMS[known].test(value)) return wrong("code_challenge must be as RFC 7636 section 4.2 says");
  return { kind: "challenge", challenge: { value, method: known } };
}

/**
 * Whether a verifier answers a challenge. Where there was none a verifier is wrong too: somebody has taken the
 * challenge out of the authorization request. @see RFC 7636 §4.6, RFC 9700 §4.8.2
 */
export function answersChallenge(verifier: string | undefined, challenge: CodeChallenge | null): boolean {
  if (verifier === undefined || challenge === null) return verifier === undefined && challenge === null;
  if (!FORMS.plain.test(verifier)) return false;
  const derived =
    challenge.method === "S256" ? createHash("sha256").update(verifier).digest("base64url") : verifier;
  return sameSecret(derived, challenge.value);
}
