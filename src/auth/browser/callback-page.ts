import { createHash } from "node:crypto";

/** What the browser is told when all is over. */
export type Outcome =
  | { readonly signedIn: true; readonly userName: string; readonly profile: string }
  | { readonly signedIn: false; readonly reason: string };

/** A whole answer to the browser. */
export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The page that ends a sign-in. It says what has happened, not what is hoped for. */
export function outcomePage(outcome: Outcome): Page {
  if (!outcome.signedIn) {
    return page(400, {
      title: "Not signed in",
      mark: "✕",
      tone: "bad",
      lines: [sentence(outcome.reason), "Go back to the terminal to try again. You can close this page."],
    });
  }
  return page(200, {
    title: `Signed in as ${outcome.userName}`,
    mark: "✓",
    tone: "good",
    lines: [
      `calctl keeps the token under the profile ${outcome.profile}.`,
      "Go back to the terminal. You can close this page.",
    ],
  });
}

/** The answer to a request that is no part of the sign-in; the sign-in goes on. */
export function refusalPage(status: 400 | 404 | 405 | 503): Page {
  const lines =
    status === 400
      ? [
          "This address does not belong to the sign-in that calctl is waiting for.",
          "Use the newest address that the terminal shows.",
        ]
      : ["There is nothing here. calctl is still waiting for the sign-in."];
  const refused = page(status, { title: "Not this page", mark: "?", tone: "bad", lines });
  return status === 405 ? { ...refused, headers: { ...refused.headers, allow: "GET" } } : refused;
}

/** The answer to a response that cannot be used; the sign-in goes on. */
export function unusablePage(problem: string): Page {
  const lines = [
    sentence(`the answer of the authorization server cannot be used: ${problem}`),
    "calctl is still waiting: the terminal shows where to sign in.",
  ];
  return page(400, { title: "Not signed in yet", mark: "?", tone: "bad", lines });
}

/** Messages begin small and end without a stop, as a terminal shows them. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

interface Content {
  readonly title: string;
  readonly mark: string;
  readonly tone: "good" | "bad";
  readonly lines: readonly string[];
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #566072; --ground: #f3f5f8; --card: #fff; --good: #14804a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eef1f6; --soft: #aab4c4; --ground: #14181f; --card: #1e242e; --good: #5fd39a; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground);
  color: var(--ink); font: 1.0625rem/1.55 system-ui, sans-serif; }
main { width: min(30rem, 100%); padding: 2.25rem 2rem; background: var(--card); border-radius: 1rem; text-align: center;
  overflow-wrap: anywhere; box-shadow: 0 1px 3px rgb(0 0 0 / .12), 0 8px 24px rgb(0 0 0 / .08); }
.mark { font-size: 2.5rem; line-height: 1; }
.good { color: var(--good); }
.bad { color: var(--bad); }
h1 { margin: .75rem 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h1, p { text-wrap: balance; }
p { margin: .5rem 0 0; color: var(--soft); }
`;

/** Nothing but our own style may load, and no other page may frame or be told of this one. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  connection: "close",
};

function page(status: number, { title, mark, tone, lines }: Content): Page {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · calctl</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<div class="mark ${tone}" aria-hidden="true">${mark}</div>
<h1>${escapeHtml(title)}</h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("\n")}
</main>
</body>
</html>
`;
  return { status, headers: { ...HEADERS, "content-length": String(Buffer.byteLength(body)) }, body };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text of others for an HTML page; controls and what reorders letters become spaces. */
function escapeHtml(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, " ")
    .replace(/[&<>"']/g, (found) => ENTITIES[found] ?? "");
}
