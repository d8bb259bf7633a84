import { createHash } from "node:crypto";

/**
 * 32 hex digits for a token at an origin (`https://host[:port]`), to tell apart what was stored for different accounts. They
 * reveal nothing: tokens are long and random.
 */
export function hashAccount({ token, origin }: { readonly token: string; readonly origin: string }): string {
  return createHash("sha256").update(`${origin}\n${token}`).digest("hex").slice(0, 32);
}
