import type { RedirectTarget } from "../config/redirect-uri.js";

/** The redirect URI with the port that was bound; one that names its port stays as it is, byte for byte. */
export function withBoundPort({ uri, port }: RedirectTarget, boundPort: number): string {
  return port === 0
    ? uri.replace(/^(http:\/\/[^/:[]+|http:\/\/\[[^\]]*\])(?::0?)?/i, `$1:${boundPort}`)
    : uri;
}
