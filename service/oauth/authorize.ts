import { FORM_MEDIA_TYPE } from "../../contract/media-types.js";
import { decodeBody } from "../http/content.js";
import { badRequest, type ServiceResponse } from "../http/response.js";
import { splitTarget } from "../request.js";
import { createSecret, csrfToken } from "../secrets.js";
import { ensureClient, insertCode } from "../store/clients.js";
import type { Transaction, WriteOptions } from "../store/store.js";
import { deleteSession, findSessionUser } from "../store/users.js";
import {
  type AuthorizationRequest,
  authorizationResponse,
  authorizeUrl,
  parseAuthorizationRequest,
  parseParameters,
} from "./authorization-request.js";
import {
  type BrowserSession,
  findBrowserSession,
  formatCookie,
  hasValidCsrfToken,
  newBrowserSession,
  signIn,
} from "./browser-session.js";
import { checkHost, isFromOwnPage, type OAuthContext } from "./context.js";
import { redirectResponse } from "./pages/page.js";
import { consentPage, type SignInPage, signInPage } from "./pages/sign-in-page.js";
import { isPublic } from "./public-client.js";

/**
 * The authorization endpoint: GET shows a page, POST accepts its form. Every request carries the client's parameters in
 * its query, so none of them are stored.
 * @throws ProblemError when the browser must not be redirected to the client
 * @see RFC 6749 §3.1
 */
export async function authorize(context: OAuthContext): Promise<ServiceResponse> {
  const { method, target } = context.request;
  checkHost(context);
  const parameters = parseParameters(splitTarget(target).query);
  const request = await context.store.read((db) => parseAuthorizationRequest(db, parameters, context));
  if (typeof request === "string") return redirectResponse(request);
  const session = await findBrowserSession(context);
  const step = { context, request, session };
  return method === "GET" ? showPage(step) : submit(step);
}

/** A browser's request for an authorization page, with what it was parsed into. */
interface AuthorizationStep {
  readonly context: OAuthContext;
  readonly request: AuthorizationRequest;
  readonly session: BrowserSession;
}

/** The sign-in page, or the consent page if the user is signed in. */
function showPage(
  { context, request, session }: AuthorizationStep,
  changes: Pick<SignInPage, "login" | "notice"> = {},
): ServiceResponse {
  const { user, isNew, secret } = session;
  const page = { ...request, ...changes, action: authorizeUrl(request), csrf: csrfToken(secret) };
  if (user !== null) return consentPage({ ...page, user });
  return signInPage({ ...page, headers: isNew ? cookieHeader(context, secret) : {} });
}

async function submit(step: AuthorizationStep): Promise<ServiceResponse> {
  const form = readForm(step.context);
  const forgery = findForgery(step, form.get("csrf"));
  if (forgery !== null) return showPage(step, { notice: { status: 403, text: forgery } });
  switch (form.get("action")) {
    case "sign-in":
      return submitSignIn(step, form);
    case "allow":
      return allow(step);
    case "deny":
      return deny(step);
    case "switch":
      return switchAccount(step);
    default:
      throw badRequest("The form has no valid action.");
  }
}

/** Why a form may be that of another site; null if it is not. @param token of the form */
function findForgery({ context, session }: AuthorizationStep, token: string | undefined): string | null {
  if (!isFromOwnPage(context))
    return "The form was not sent by this page, or a proxy has changed where it came from. Please try again.";
  return hasValidCsrfToken(session, token)
    ? null
    : "That page was out of date, or your browser blocks cookies from this site. Please try again.";
}

/** @throws ProblemError like `decodeBody`, 400 when a field is repeated */
function readForm({ request }: OAuthContext): ReadonlyMap<string, string> {
  const { text } = decodeBody(request.body, request.headers, [FORM_MEDIA_TYPE]);
  const { values, repeated } = parseParameters(text);
  if (repeated.size > 0) throw badRequest("The request was not sent by the form on this page.");
  return values;
}

async function submitSignIn(
  step: AuthorizationStep,
  form: ReadonlyMap<string, string>,
): Promise<ServiceResponse> {
  const { context, request } = step;
  const login = form.get("login") ?? "";
  const result = await signIn(context, step.session, { login, password: form.get("password") ?? "" });
  // A new secret prevents session fixation: the old one may have been planted in the browser.
  return "secret" in result
    ? redirectResponse(authorizeUrl(request), cookieHeader(context, result.secret))
    : showPage(step, { login, notice: result });
}

/** Issues an authorization code, if the session is still valid inside the transaction. */
async function allow(step: AuthorizationStep): Promise<ServiceResponse> {
  const { context, request, session } = step;
  const { client, redirectUri, state, challenge } = request;
  const code = createSecret();
  const issue = async (db: Transaction) => {
    const user = await findSessionUser(db, session.secret, context.now);
    if (user === undefined) return false;
    if (isPublic(client)) await ensureClient(db, client);
    const row = {
      client: client.id,
      user_id: user.id,
      redirect_uri: redirectUri,
      code_challenge: challenge?.value ?? null,
      code_challenge_method: challenge?.method ?? null,
    };
    await insertCode(db, row, { code, now: context.now });
    return true;
  };
  const issued = await context.store.write(issue, sessionScope(session));
  if (!issued) return signInAgain(step);
  return redirectResponse(authorizationResponse(redirectUri, { code, state }));
}

function deny(step: AuthorizationStep): ServiceResponse {
  const { redirectUri, state } = step.request;
  if (step.session.user === null) return signInAgain(step);
  const denial = { error: "access_denied", error_description: "the user denied the request", state };
  return redirectResponse(authorizationResponse(redirectUri, denial));
}

async function switchAccount({ context, request, session }: AuthorizationStep): Promise<ServiceResponse> {
  await context.store.write((db) => deleteSession(db, session.secret), sessionScope(session));
  return redirectResponse(authorizeUrl(request), cookieHeader(context, newBrowserSession().secret));
}

function sessionScope({ secret }: BrowserSession): WriteOptions {
  return { scope: [`session ${secret}`] };
}

function signInAgain(step: AuthorizationStep): ServiceResponse {
  const text = "You are no longer signed in. Please sign in again.";
  return showPage({ ...step, session: { ...step.session, user: null } }, { notice: { status: 403, text } });
}

function cookieHeader({ source }: OAuthContext, secret: string): Record<string, string> {
  return { "set-cookie": formatCookie(secret, source.baseUrl) };
}
