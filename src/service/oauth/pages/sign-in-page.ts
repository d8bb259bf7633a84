import type { Reply } from "../../http/reply.js";
import { html, type Markup } from "./markup.js";
import { pageReply } from "./page.js";

export interface SignInPage {
  /** Of the program that the user comes from. */
  readonly clientName: string;
  /** What the form leads to. */
  readonly action: string;
  readonly csrf: string;
  /** What was typed before. */
  readonly login?: string;
  readonly notice?: Notice;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why a page comes again. */
export interface Notice {
  /** Of the answer. */
  readonly status: number;
  readonly text: string;
}

/** Asks for login and password. */
export function signInPage({ clientName, action, csrf, login, notice, headers }: SignInPage): Reply {
  const typed = login === undefined || login === "" ? undefined : login;
  return pageReply({
    status: notice?.status ?? 200,
    title: "Sign in",
    headers: headers ?? {},
    content: html`<p>Sign in to go on to <strong><bdi>${clientName}</bdi></strong>.</p>
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

export function noticeMarkup(notice: Notice | undefined): Markup | null {
  return notice === undefined
    ? null
    : html`<p class="alert" role="alert">${notice.text}</p>
`;
}
