import { createHash } from "node:crypto";
import type { Reply } from "../../http/reply.js";
import { html, type Markup } from "./markup.js";
import { STYLE } from "./style.js";

export interface Page {
  readonly status: number;
  readonly title: string;
  /** Below the title. */
  readonly content: Markup;
  /** Where its forms may lead besides this service, as a CSP source; none by default. */
  readonly formTarget?: string;
  /** Further headers, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A whole page: it loads nothing from anywhere. */
export function pageReply({ status, title, content, formTarget, headers }: Page): Reply {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy(formTarget),
      "x-frame-options": "DENY",
      ...PRIVATE_HEADERS,
      ...headers,
    },
    body: new TextEncoder().encode(document.html),
  };
}

/** To another page, asked for with GET whatever the method was: 307 would send a password on. @see RFC 9700 §4.12 */
export function redirectReply(location: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 303, headers: { location, ...PRIVATE_HEADERS, ...headers }, body: new Uint8Array() };
}

/** Codes and states stand in the addresses: they go into no cache and no Referer. @see RFC 9700 §4.2 */
const PRIVATE_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

function contentSecurityPolicy(formTarget: string | undefined): string {
  const style = createHash("sha256").update(STYLE).digest("base64");
  return [
    "default-src 'none'",
    `style-src 'sha256-${style}'`,
    `form-action 'self'${formTarget === undefined ? "" : ` ${formTarget}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}
