import * as v from "valibot";
import { tokenRequestSchema } from "../../contract/oauth.js";

/** The contract's request, of any grant type. */
const requestSchema = v.object({ ...tokenRequestSchema.entries, grant_type: v.string() });

export type TokenRequest = v.InferOutput<typeof requestSchema>;

export type TokenRequestReading =
  | { readonly kind: "request"; readonly request: TokenRequest }
  | {
      readonly kind: "refused";
      readonly error: "invalid_request" | "invalid_client";
      readonly problem: string;
    };

/** Reads the body of a token request. Without its secret a client is not authenticated. @see RFC 6749 §5.2 */
export function readTokenRequest(body: unknown): TokenRequestReading {
  const refuse = (problem: string, error: "invalid_request" | "invalid_client" = "invalid_request") =>
    ({ kind: "refused", error, problem }) as const;
  if (!isObject(body)) return refuse("the body must be a JSON object");
  for (const name of CREDENTIALS) {
    if (isMissing(body[name])) return refuse(`${name} is missing`, "invalid_client");
  }
  const missing = REQUIRED.find((name) => isMissing(body[name]));
  if (missing !== undefined) return refuse(`${missing} is missing`);
  const request = v.safeParse(requestSchema, dropMissing(body));
  if (request.success) return { kind: "request", request: request.output };
  return refuse(`${v.getDotPath(request.issues[0])} must be text`);
}

const CREDENTIALS = ["client_id", "client_secret"] as const;
const REQUIRED = ["grant_type", "code", "redirect_uri"] as const;

function isObject(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}

/** What has no value counts as not sent. @see RFC 6749 §3.2 */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function dropMissing(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isMissing(value)));
}
