import { html, renderPage } from "../../html/page.js";

/** An HTTP response to the browser. */
export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The page after the token was stored. */
export function signedInPage(userName: string, profile: string): Page {
  return page(200, {
    title: `Signed in as ${userName}`,
    mark: "✓",
    tone: "good",
    lines: [
      `calctl stored the token for the profile ${profile}.`,
      "Go back to the terminal. You can close this page.",
    ],
  });
}

/** The page after the sign-in failed. */
export function failurePage(reason: string): Page {
  const lines = [sentence(reason), "Go back to the terminal to try again. You can close this page."];
  return page(400, { title: "Not signed in", mark: "✕", tone: "bad", lines });
}

/** The response to a request that does not belong to the sign-in; the sign-in continues. */
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

/** The response to an authorization response that cannot be used; the sign-in continues. */
export function invalidResponsePage(problem: string): Page {
  const lines = [
    sentence(`the authorization server's response cannot be used: ${problem}`),
    "calctl is still waiting: the terminal shows where to sign in.",
  ];
  return page(400, { title: "Not signed in yet", mark: "?", tone: "bad", lines });
}

/** Messages for a terminal begin in lower case and end without a period. */
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

function page(status: number, { title, mark, tone, lines }: Content): Page {
  const paragraphs = lines.map((line) => html`<p>${line}</p>`.html).join("\n");
  const { headers, body } = renderPage({
    title: `${title} · calctl`,
    style: STYLE,
    main: html`<div class="mark ${tone}" aria-hidden="true">${mark}</div>
<h1>${title}</h1>
${{ html: paragraphs }}`,
  });
  const length = String(Buffer.byteLength(body));
  return { status, headers: { ...headers, connection: "close", "content-length": length }, body };
}
