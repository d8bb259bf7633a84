import * as v from "valibot";
import { isJsonObject } from "../../contract/json.js";
import { FORM_MEDIA_TYPE, JSON_MEDIA_TYPE } from "../../contract/media-types.js";
import { PUBLIC_CLIENT_ID, tokenRequestSchema } from "../../contract/oauth.js";
import { decodeBody, parseJson } from "../http/content.js";
import type { ServiceRequest } from "../request.js";
import { decodeFormText, parseParameters } from "./authorization-request.js";

/** The contract's request, but with any grant type: another one gets its own error. The public client has no secret. */
const requestSchema = v.object({
  ...tokenRequestSchema.entries,
  client_secret: v.optional(v.string()),
  grant_type: v.string(),
});

export type TokenRequest = v.InferOutput<typeof requestSchema>;

/** A request that gets no token. The description has no quotation marks or backslashes. @see RFC 6749 §5.2 */
export interface TokenRefusal {
  readonly kind: "refusal";
  readonly error: "invalid_request" | "invalid_client" | "invalid_grant" | "unsupported_grant_type";
  readonly description: string;
}

export function refusal(error: TokenRefusal["error"], description: string): TokenRefusal {
  return { kind: "refusal", error, description };
}

type ParsedTokenRequest = TokenRefusal | { readonly kind: "request"; readonly request: TokenRequest };

/**
 * Parses a token request: a form or JSON, with the client's credentials in it or by HTTP Basic. Unknown parameters are
 * ignored, and missing credentials are `invalid_client`.
 * @throws ProblemError 413, 400 when the body is neither a form nor JSON
 * @see RFC 6749 §2.3.1, §4.1.3, contract section 5
 */
export function parseTokenRequest({ headers, body }: ServiceRequest): ParsedTokenRequest {
  const { mediaType, text } = decodeBody(body, headers, [JSON_MEDIA_TYPE, FORM_MEDIA_TYPE]);
  const parsed = mediaType === FORM_MEDIA_TYPE ? parseForm(text) : parseObject(text);
  if (parsed.kind === "refusal") return parsed;
  const authenticated = addBasicCredentials(parsed.parameters, headers["authorization"]);
  return authenticated.kind === "refusal" ? authenticated : checkParameters(authenticated.parameters);
}

type ParsedParameters =
  | TokenRefusal
  | { readonly kind: "parameters"; readonly parameters: Readonly<Record<string, unknown>> };

function parseForm(text: string): ParsedParameters {
  const { values, repeated } = parseParameters(text);
  const duplicate = Object.keys(requestSchema.entries).find((name) => repeated.has(name));
  if (duplicate !== undefined) return refusal("invalid_request", `${duplicate} was sent more than once`);
  return { kind: "parameters", parameters: Object.fromEntries(values) };
}

function parseObject(text: string): ParsedParameters {
  const parameters = parseJson(text);
  if (!isJsonObject(parameters)) return refusal("invalid_request", "the body must be a JSON object");
  return { kind: "parameters", parameters };
}

/** Whether the client authenticates by HTTP Basic. Other schemes are ignored. */
export function usesBasic(authorization: string | undefined): authorization is string {
  return /^basic(?: |$)/i.test(authorization ?? "");
}

/** A client authenticates in one way only, but may name itself in the body as well. @see RFC 6749 §2.3, §3.2.1 */
function addBasicCredentials(
  parameters: Readonly<Record<string, unknown>>,
  authorization: string | undefined,
): ParsedParameters {
  if (!usesBasic(authorization)) return { kind: "parameters", parameters };
  if (!isMissing(parameters["client_secret"])) {
    return refusal("invalid_request", "client_secret must be sent in the body or by HTTP Basic, not both");
  }
  const credentials = parseBasic(authorization);
  if (credentials === null) {
    return refusal("invalid_client", "the credentials are not the Base64 of client_id:client_secret");
  }
  if (!isMissing(parameters["client_id"]) && parameters["client_id"] !== credentials.client_id) {
    return refusal("invalid_request", "client_id is another one than that of HTTP Basic");
  }
  return { kind: "parameters", parameters: { ...parameters, ...credentials } };
}

/** Both parts are form-urlencoded before they are joined; null when malformed. @see RFC 6749 §2.3.1, RFC 7617 §2 */
function parseBasic(authorization: string) {
  const bytes = Buffer.from(authorization.slice("basic ".length), "base64");
  try {
    const [id, ...secret] = new TextDecoder("utf-8", { fatal: true }).decode(bytes).split(":");
    if (id === undefined || secret.length === 0) return null;
    return { client_id: decodeFormText(id), client_secret: decodeFormText(secret.join(":")) };
  } catch {
    return null;
  }
}

const REQUIRED = ["grant_type", "code", "redirect_uri"] as const;

function checkParameters(parameters: Readonly<Record<string, unknown>>): ParsedTokenRequest {
  const { client_id, client_secret } = parameters;
  if (isMissing(client_id)) return refusal("invalid_client", "client_id is missing");
  if (isMissing(client_secret) && client_id !== PUBLIC_CLIENT_ID) {
    return refusal("invalid_client", "client_secret is missing");
  }
  const missing = REQUIRED.find((name) => isMissing(parameters[name]));
  if (missing !== undefined) return refusal("invalid_request", `${missing} is missing`);
  const request = v.safeParse(requestSchema, dropMissing(parameters));
  if (request.success) return { kind: "request", request: request.output };
  return refusal("invalid_request", `${v.getDotPath(request.issues[0])} must be text`);
}

/** A parameter without a value is treated as omitted. @see RFC 6749 §3.2 */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function dropMissing(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => !isMissing(value)));
}
