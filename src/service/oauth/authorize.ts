import { BODY_LIMIT } from "../http/content.js";
import type { Reply } from "../http/reply.js";
import { badRequest, ProblemError } from "../http/reply.js";
import { createAuthorizationCode, csrfToken } from "../secrets.js";
import { insertCode } from "../store/clients.js";
import { deleteSession, findSessionUser } from "../store/sessions.js";
import {
  type AuthorizationRequest,
  formatRequest,
  readAuthorizationRequest,
} from "./authorization-request.js";
import { createVisit, formatCookie, isOwnForm, recogniseVisit, type Visit } from "./browser-session.js";
import type { OAuthContext, OAuthEndpoint } from "./endpoint.js";
import { errorPage } from "./pages/error-page.js";
import { redirectReply } from "./pages/page.js";
import { consentPage, type Notice, signInPage } from "./pages/sign-in-page.js";
import { parseParameters } from "./parameters.js";
import { authorizationResponse } from "./redirect-uri.js";
import { signIn } from "./sign-in.js";

/**
 * The authorization endpoint: GET shows a page, POST accepts its form. Every request carries the client's parameters in
 * its query, so none of them are stored. @see RFC 6749 §3.1
 */
export const authorizeEndpoint: OAuthEndpoint = { respond: showOrSubmit, respondWithProblem: errorPage };

/** @throws ProblemError when the browser must not be redirected to the client */
async function showOrSubmit(call: OAuthContext): Promise<Reply> {
  const { method, target } = call.request;
  if (method !== "GET" && method !== "POST") throw new ProblemError(405, { headers: { allow: "GET, POST" } });
  const parameters = parseParameters(target.split("?").slice(1).join("?"));
  const reading = await call.store.read((db) => readAuthorizationRequest(db, parameters));
  if (reading.kind === "refused") {
    const { redirectUri, error, description, state } = reading.refused;
    return redirectReply(
      authorizationResponse(redirectUri, { error, error_description: description, state }),
    );
  }
  const visit = await recogniseVisit(call);
  const situation = { call, request: reading.request, visit };
  return method === "GET" ? showPage(situation) : submit(situation);
}

interface Situation {
  readonly call: OAuthContext;
  readonly request: AuthorizationRequest;
  readonly visit: Visit;
}

interface PageChanges {
  readonly notice?: Notice;
  readonly login?: string;
}

/** Asks to sign in, or who is signed in to decide. */
function showPage({ call, request, visit }: Situation, changes: PageChanges = {}): Reply {
  const page = {
    ...changes,
    clientName: request.client.name,
    action: ownAddress(request),
    csrf: csrfToken(visit.secret),
  };
  if (visit.user !== null)
    return consentPage({ ...page, redirectUri: request.redirectUri, user: visit.user });
  return signInPage({ ...page, headers: visit.isNew ? cookieHeader(call, visit.secret) : {} });
}

async function submit(situation: Situation): Promise<Reply> {
  const { call, visit } = situation;
  const form = readForm(call);
  if (!isOwnForm(visit, form.get("csrf"))) {
    const text =
      "That page was out of date, or your browser keeps no cookies for this site. Please try again.";
    return showPage(situation, { notice: { status: 403, text } });
  }
  switch (form.get("action")) {
    case "sign-in":
      return submitSignIn(situation, form);
    case "allow":
      return allow(situation);
    case "deny":
      return deny(situation);
    case "switch":
      return switchAccount(situation);
    default:
      throw badRequest("The form says neither to sign in nor to allow or deny anything.");
  }
}

/** @throws ProblemError 413, 400 when it is no form or a field was sent more than once */
function readForm({ request }: OAuthContext): ReadonlyMap<string, string> {
  if (request.body.byteLength > BODY_LIMIT) throw new ProblemError(413);
  const [type] = (request.headers["content-type"] ?? "").split(";");
  if (type?.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    throw badRequest("What was sent is not the form of this page.");
  }
  const { values, repeated } = parseParameters(new TextDecoder().decode(request.body));
  if (repeated.size > 0) throw badRequest("What was sent is not the form of this page.");
  return values;
}

async function submitSignIn(situation: Situation, form: ReadonlyMap<string, string>): Promise<Reply> {
  const { call, request } = situation;
  const login = form.get("login") ?? "";
  const result = await signIn(call, { login, password: form.get("password") ?? "" });
  // A new secret: one that somebody planted in the browser before must not become a session.
  if (result.kind === "signed-in") {
    return redirectReply(ownAddress(request), cookieHeader(call, result.secret));
  }
  return showPage(situation, { login, notice: result });
}

/** Gives the client a code, if the session still holds at this very moment. */
async function allow(situation: Situation): Promise<Reply> {
  const { call, request, visit } = situation;
  const { client, redirectUri, state, challenge } = request;
  const code = createAuthorizationCode();
  const given = await call.store.write(async (db) => {
    const user = await findSessionUser(db, visit.secret, call.now);
    if (user === undefined) return false;
    const row = {
      client: client.id,
      user_id: user.id,
      redirect_uri: redirectUri,
      code_challenge: challenge?.value ?? null,
      code_challenge_method: challenge?.method ?? null,
    };
    await insertCode(db, row, { code, now: call.now });
    return true;
  });
  if (!given) return signInAgain(situation);
  return redirectReply(authorizationResponse(redirectUri, { code, state }));
}

function deny(situation: Situation): Reply {
  const { redirectUri, state } = situation.request;
  if (situation.visit.user === null) return signInAgain(situation);
  const description = "the user has denied the request";
  return redirectReply(
    authorizationResponse(redirectUri, { error: "access_denied", error_description: description, state }),
  );
}

async function switchAccount({ call, request, visit }: Situation): Promise<Reply> {
  await call.store.write((db) => deleteSession(db, visit.secret));
  return redirectReply(ownAddress(request), cookieHeader(call, createVisit().secret));
}

function signInAgain(situation: Situation): Reply {
  const text = "You are no longer signed in. Please sign in again.";
  return showPage(
    { ...situation, visit: { ...situation.visit, user: null } },
    { notice: { status: 403, text } },
  );
}

/** Relative, so that it holds behind a proxy whatever path that serves the service at. */
function ownAddress(request: AuthorizationRequest): string {
  return `authorize?${formatRequest(request)}`;
}

function cookieHeader({ source }: OAuthContext, secret: string): Record<string, string> {
  return { "set-cookie": formatCookie(secret, source.baseUrl) };
}
