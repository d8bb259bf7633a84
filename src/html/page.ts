import { createHash } from "node:crypto";
import { isRightToLeft } from "../../contract/text-direction.js";

/** HTML in which all text is escaped. */
export interface Markup {
  readonly html: string;
}

/** HTML from a template. Text is escaped, also for quoted attributes; markup is inserted as is, null as nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | Markup | null)[]): Markup {
  const parts = strings.map((text, index) => `${text}${render(values[index] ?? null)}`);
  return { html: parts.join("") };
}

function render(value: string | Markup | null): string {
  if (value === null) return "";
  return typeof value === "string" ? escapeText(value) : value.html;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters, and those that change the direction of text, become spaces. Text from right to left keeps its marks. */
function escapeText(text: string): string {
  const marked = isRightToLeft(text) ? text : text.replace(/[\u061c\u200e\u200f]/g, " ");
  return marked
    .replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, " ")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

export interface PageOptions {
  readonly title: string;
  /** The style sheet, the only thing that the page may load. */
  readonly style: string;
  /** Content of `<main>`. */
  readonly main: Markup;
  /** CSP sources for the targets of forms; none by default. */
  readonly formTargets?: readonly string[];
}

/** A whole HTML page with the headers that protect it. It loads nothing, and no other page may frame it. */
export function renderPage({ title, style, main, formTargets = [] }: PageOptions) {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<style>${{ html: style }}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(style, formTargets),
    "x-frame-options": "DENY",
    ...PRIVATE_HEADERS,
  };
  return { headers, body: document.html };
}

/** Keeps codes and states in URLs out of caches and the Referer header. @see RFC 9700 §4.2 */
export const PRIVATE_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

function contentSecurityPolicy(style: string, formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    `form-action ${formTargets.join(" ") || "'none'"}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}
