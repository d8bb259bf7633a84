import { STATUS_TITLES } from "../../../contract/problem.js";
import { html, type Markup, PRIVATE_HEADERS, renderPage } from "../../../src/html/page.js";
import type { ProblemError, ServiceResponse } from "../../http/response.js";

interface Page {
  readonly status: number;
  readonly title: string;
  /** Below the title. */
  readonly content: Markup;
  /** CSP source that forms may submit to in addition to this service; none by default. */
  readonly formTarget?: string;
  /** Additional headers, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page of the authorization server. */
export function pageResponse({ status, title, content, formTarget, headers }: Page): ServiceResponse {
  const page = renderPage({
    title,
    style: STYLE,
    main: html`<h1>${title}</h1>
${content}`,
    formTargets: formTarget === undefined ? ["'self'"] : ["'self'", formTarget],
  });
  return {
    status,
    headers: { ...page.headers, ...ORIGIN_OF_FORMS, ...headers },
    body: new TextEncoder().encode(page.body),
  };
}

/** With no-referrer, browsers would send the forms of this page with `Origin: null`. @see Fetch §3.2 */
const ORIGIN_OF_FORMS = { "referrer-policy": "same-origin" } as const;

/** Redirects with 303, which makes it a GET: after a POST, 307 would forward the password. @see RFC 9700 §4.12 */
export function redirectResponse(
  location: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return { status: 303, headers: { location, ...PRIVATE_HEADERS, ...headers }, body: new Uint8Array() };
}

/** Says what this address is, to a user who opens it. @param publicClient whether calctl can sign in without a registration */
export function startPage(baseUrl: string, publicClient: boolean): ServiceResponse {
  const registration = publicClient
    ? null
    : html`<p>It asks for a client id and its secret, which the operator of this service gives you.</p>
`;
  return pageResponse({
    status: 200,
    title: "Sign-in of a calendar service",
    content: html`<p>Programs that show your calendars open this service in your browser, so that you can sign in and
decide what they may do. To sign in with calctl, run this in a terminal:</p>
<p><code>calctl login --base-url ${baseUrl}</code></p>
${registration}<p class="soft last">There is nothing to do on this page itself.</p>`,
  });
}

/** Shown when the browser must not be redirected: what went wrong, and what the user can do. */
export function errorPage({ status, errors, headers }: ProblemError): ServiceResponse {
  const reason = typeof errors === "string" ? html`<p>${errors}</p>` : null;
  return pageResponse({
    status,
    title: TITLES[status] ?? STATUS_TITLES[status],
    headers,
    content: html`${reason}
<p class="soft last">${ADVICE[status] ?? "Go back to the app that opened this page and try again."}</p>`,
  });
}

const TITLES: Readonly<Record<number, string>> = {
  400: "This sign-in cannot continue",
  421: "This is not the address of the service",
  429: "Too many requests",
  500: "Something went wrong",
  503: "The service is busy",
};

const ADVICE: Readonly<Record<number, string>> = {
  400: "The app that opened this page is misconfigured, or its link was changed on the way. No access was granted.",
  421: "Go back to the app that opened this page and try again. An operator sets the address with --public-url.",
  429: "Wait a few minutes, then reload this page.",
  500: "It is not your fault. Reload this page; if that does not help, contact the operator of this service.",
  503: "Reload this page in a moment.",
};

/** Style of every page, light and dark, from narrow phones up. */
const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #eef1f5; --card: #ffffff; --ink: #1b2430; --soft: #566274; --line: #c9d1db; --edge: #8391a3;
  --accent: #1a5fb4; --accent-ink: #ffffff; --accent-strong: #154e95;
  --alert: #a51d2d; --alert-ground: #fdecee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11161d; --card: #1b222c; --ink: #e7ecf3; --soft: #a5b1c2; --line: #34404f; --edge: #6b7a8d;
    --accent: #7cb4f5; --accent-ink: #0c1a2b; --accent-strong: #a3cbf9;
    --alert: #ffb3bb; --alert-ground: #3b1d24;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: start center; padding: 12vh 16px 32px;
  background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main {
  width: 100%; max-width: 26rem; padding: 32px; overflow-wrap: anywhere;
  background: var(--card); border: 1px solid var(--line); border-radius: 14px;
}
h1 { margin: 0 0 12px; font-size: 1.5rem; line-height: 1.25; font-weight: 650; text-wrap: balance; }
p { margin: 0 0 16px; }
ul { margin: 0 0 20px; padding-left: 1.2rem; }
li { margin: 4px 0; }
.soft { color: var(--soft); font-size: 0.9375rem; }
.last { margin-bottom: 0; }
.alert {
  margin: 0 0 16px; padding: 10px 14px; border-left: 4px solid var(--alert); border-radius: 6px;
  background: var(--alert-ground); color: var(--alert);
}
.account {
  margin: 0 0 20px; padding: 12px 14px; border: 1px solid var(--line); border-radius: 10px;
  display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: center; justify-content: space-between;
}
label { display: block; margin: 0 0 6px; font-weight: 600; }
input {
  display: block; width: 100%; min-height: 46px; margin: 0 0 18px; padding: 8px 12px;
  font: inherit; color: inherit; background: transparent; border: 1px solid var(--edge); border-radius: 8px;
}
button {
  min-height: 46px; padding: 8px 18px; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--ink); background: transparent; border: 1px solid var(--edge); border-radius: 8px;
}
button:hover { border-color: var(--ink); }
button.main { color: var(--accent-ink); background: var(--accent); border-color: var(--accent); }
button.main:hover { background: var(--accent-strong); border-color: var(--accent-strong); }
button.plain {
  min-height: 32px; padding: 2px 0; font-weight: 400; border: 0; border-radius: 4px;
  color: var(--accent); text-decoration: underline; text-underline-offset: 3px;
}
button.plain:hover { color: var(--accent-strong); }
.wide { width: 100%; }
.choices { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; margin: 0 0 20px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
@media (max-width: 480px) {
  body { padding: 16px 16px 32px; }
  main { padding: 24px 20px; }
}
`;
