import { codePointLength, MAX_LOGIN } from "../../../contract/limits.js";
import { isLoopback } from "../../../contract/url.js";
import { html, type Markup } from "../../../src/html/page.js";
import type { ServiceResponse } from "../../http/response.js";
import type { ClientRow } from "../../store/schema.js";
import { isPublic } from "../public-client.js";
import { pageResponse } from "./page.js";

/** A page with a form. */
interface FormPage {
  /** That asks for access. */
  readonly client: ClientRow;
  /** URL that the form submits to. */
  readonly action: string;
  readonly csrf: string;
  readonly notice?: Notice;
}

export interface SignInPage extends FormPage {
  /** What the user typed before. */
  readonly login?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why the page is shown again. */
export interface Notice {
  /** Status of the response. */
  readonly status: number;
  readonly text: string;
  /** Seconds until it may be tried again. */
  readonly retryAfter?: number;
}

/** Asks for login and password. */
export function signInPage({
  client,
  action,
  csrf,
  login = "",
  notice,
  headers,
}: SignInPage): ServiceResponse {
  // The user may want to correct it; the page does not repeat what is longer than any login.
  const typed = login !== "" && codePointLength(login) <= MAX_LOGIN ? login : undefined;
  return pageResponse({
    status: notice?.status ?? 200,
    title: "Sign in",
    headers: { ...headers, ...retryHeader(notice) },
    content: html`<p>Sign in to continue to ${clientMarkup(client)}.</p>
${noticeMarkup(notice)}<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="login">Login</label>
<input id="login" name="login" value="${typed ?? ""}" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" required${typed === undefined ? AUTOFOCUS : null}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${typed === undefined ? null : AUTOFOCUS}>
<button class="main wide" name="action" value="sign-in">Sign in</button>
</form>`,
  });
}

const AUTOFOCUS: Markup = { html: " autofocus" };

function retryHeader(notice: Notice | undefined): Record<string, string> {
  return notice?.retryAfter === undefined ? {} : { "retry-after": String(notice.retryAfter) };
}

function noticeMarkup(notice: Notice | undefined): Markup | null {
  return notice === undefined
    ? null
    : html`<p class="alert" role="alert">${notice.text}</p>
`;
}

/** The public client is any program that calls itself so. */
function clientMarkup(client: ClientRow): Markup {
  const strong = html`<strong><bdi>${client.name}</bdi></strong>`;
  return isPublic(client) ? html`${strong}, a program on this computer` : strong;
}

interface ConsentPage extends FormPage {
  readonly redirectUri: string;
  readonly user: { readonly name: string; readonly login: string };
}

/** Asks the signed-in user whether a client may act on their behalf. */
export function consentPage({ client, redirectUri, user, ...form }: ConsentPage): ServiceResponse {
  const { action, csrf, notice } = form;
  return pageResponse({
    status: notice?.status ?? 200,
    title: "Allow access to your calendars?",
    // The scheme, not the host: Chromium applies `form-action` to every redirect after a submission, also to those of the
    // client's own site, and a source cannot name an IPv6 address. @see CSP3 §6.4.1
    formTarget: new URL(redirectUri).protocol,
    headers: retryHeader(notice),
    content: html`${noticeMarkup(notice)}<p>${clientMarkup(client)}${isPublic(client) ? "," : null} wants to act on your behalf. It will be able to:</p>
<ul>
<li>see your calendars, their members and their events</li>
<li>add, change and delete events, and comment on them</li>
</ul>
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<div class="account">
<span><span class="soft">Signed in as</span> <strong><bdi>${user.name}</bdi></strong>${loginMarkup(user)}</span>
<button class="plain" name="action" value="switch">Use another account</button>
</div>
<div class="choices">
<button name="action" value="deny">Deny</button>
<button class="main" name="action" value="allow">Allow</button>
</div>
<p class="soft last">${destination(redirectUri)} Allow it only if you have just started this sign-in yourself.</p>
</form>`,
  });
}

function loginMarkup({ name, login }: ConsentPage["user"]): Markup | null {
  return name === login ? null : html` <span class="soft">(<bdi>${login}</bdi>)</span>`;
}

function destination(redirectUri: string): Markup {
  const { protocol, hostname, host } = new URL(redirectUri);
  if (protocol !== "http:" && protocol !== "https:") return html`Either way, you will return to the app.`;
  if (isLoopback(hostname)) return html`Either way, you will return to the app on this computer.`;
  return html`Either way, you will return to <bdi>${host}</bdi>.`;
}
