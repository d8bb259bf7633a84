import { createHash } from "node:crypto";

/** The proof that who redeems a code is who asked for it. @see RFC 7636 */
export interface Pkce {
  /** 43 base64url characters. @see RFC 7636 §4.1 */
  readonly verifier: string;
  /** `S256` of the verifier. @see RFC 7636 §4.2 */
  readonly challenge: string;
}

/** Bytes of randomness in a code verifier and in a state. */
export const SECRET_BYTES = 32;

/** Makes verifier and challenge of 32 random bytes; new ones for every attempt. */
export function createPkce(bytes: Uint8Array): Pkce {
  const verifier = Buffer.from(bytes).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}
