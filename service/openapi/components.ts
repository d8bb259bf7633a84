import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { activityBodySchema, eventBodySchema, feedBodySchema } from "../../contract/bodies.js";
import { JSON_MEDIA_TYPE, PROBLEM_MEDIA_TYPE } from "../../contract/media-types.js";
import {
  basicTokenRequestSchema,
  oauthErrorSchema,
  tokenRequestSchema,
  tokenResponseSchema,
} from "../../contract/oauth.js";
import { type ProblemStatus, STATUS_TITLES } from "../../contract/problem.js";
import {
  activitySchema,
  calendarSchema,
  eventSchema,
  feedSchema,
  labelSchema,
  problemSchema,
  userSchema,
} from "../../contract/resources.js";
import { FAILURE_STATUSES, type Route } from "../../contract/routes.js";

export const NOT_OF_CONTRACT = "Not part of the contract: other services may not have it.";

const textHeader = (description: string) => ({ description, schema: { type: "string" } });
const countHeader = (description: string, minimum: number) => ({
  description,
  schema: { type: "integer", minimum },
});

/** `components.headers`: sent with every response, in the spelling of the contract. @see contract section 8 */
export const RESPONSE_HEADERS = {
  "X-RateLimit-Limit": countHeader("Requests per window", 0),
  "X-RateLimit-Remaining": countHeader("Requests left in this window", 0),
  "X-RateLimit-Reset": countHeader("Unix time in seconds at which the window ends", 0),
  "Calendar-Extensions": textHeader(`What the service has beyond the contract. ${NOT_OF_CONTRACT}`),
  "X-Request-Id": textHeader(`Under which the operator finds the request in the log. ${NOT_OF_CONTRACT}`),
};

/** Of reads whose response a client may have already. @see RFC 9110 §8.8.3, §13.1.2 */
const ENTITY_TAG_HEADERS = {
  ETag: textHeader(`Names this response. ${NOT_OF_CONTRACT}`),
  "Cache-Control": { schema: { const: "private, no-cache" } },
  "Calendar-Revision": countHeader(
    `Beside events of a calendar: its revision, for what changes later. ${NOT_OF_CONTRACT}`,
    1,
  ),
};

/** Of creates. */
const KEY_HEADERS = {
  "Idempotent-Replayed": {
    description: `The key of the request had made this before. ${NOT_OF_CONTRACT}`,
    schema: { const: "true" },
  },
};

const HEADER_REFS = Object.fromEntries(
  Object.keys(RESPONSE_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const DOCUMENTED_FAILURES: readonly ProblemStatus[] = [...FAILURE_STATUSES, 410, 413, 422];

/** Whether a route makes something, once for each key. */
export function takesKey({ method, path }: Route): boolean {
  return method === "POST" && path.startsWith("/calendars/");
}

/** Whether a route has a failure. */
function mayFail(status: ProblemStatus, route: Route, hasBody: boolean): boolean {
  const { path, query } = route;
  if (status === 404) return path.includes("{");
  if (status === 410) return takesKey(route) || (query !== undefined && "since" in query);
  if (status === 422) return takesKey(route);
  return status !== 413 || hasBody;
}

const FAILURE_HEADERS: Partial<Record<ProblemStatus, JsonObject>> = {
  401: { "WWW-Authenticate": textHeader("RFC 6750 §3") },
  429: { "Retry-After": countHeader("Seconds to wait", 1) },
};

/** `components.responses`: one problem per status. */
export function failureResponses(): JsonObject {
  return Object.fromEntries(
    DOCUMENTED_FAILURES.map((status) => [
      failureName(status),
      {
        description: STATUS_TITLES[status],
        headers: { ...HEADER_REFS, ...FAILURE_HEADERS[status] },
        content: content(problemSchema, [PROBLEM_MEDIA_TYPE]),
      },
    ]),
  );
}

/** What a route sends and takes; the response is null without a body. */
interface RouteBodies {
  readonly hasBody: boolean;
  readonly response: GenericSchema | null | undefined;
}

/** `responses` of an operation. */
export function operationResponses(route: Route, { hasBody, response }: RouteBodies): JsonObject {
  const failures = DOCUMENTED_FAILURES.filter((status) => mayFail(status, route, hasBody));
  const tagged = route.method === "GET";
  const headers = {
    ...HEADER_REFS,
    ...(tagged && ENTITY_TAG_HEADERS),
    ...(takesKey(route) && KEY_HEADERS),
  };
  return {
    ...(tagged && { 304: { description: "The client has this response", headers } }),
    [route.success]: {
      description: route.summary,
      headers,
      ...(response && { content: content(response) }),
    },
    ...Object.fromEntries(
      failures.map((status) => [status, { $ref: `#/components/responses/${failureName(status)}` }]),
    ),
  };
}

function failureName(status: ProblemStatus): string {
  return STATUS_TITLES[status].replaceAll(" ", "");
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The contract's schemas that the document names. */
const NAMED_SCHEMAS = {
  User: userSchema,
  Label: labelSchema,
  Calendar: calendarSchema,
  Event: eventSchema,
  Activity: activitySchema,
  EventBody: eventBodySchema,
  ActivityBody: activityBodySchema,
  Feed: feedSchema,
  FeedBody: feedBodySchema,
  Problem: problemSchema,
  TokenRequest: tokenRequestSchema,
  BasicTokenRequest: basicTokenRequestSchema,
  TokenResponse: tokenResponseSchema,
  OAuthError: oauthErrorSchema,
};

const CONVERSION = {
  target: "draft-2020-12",
  typeMode: "input",
  // Checks by function have no JSON Schema; the metadata next to them has their limits.
  errorMode: "ignore",
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
} as const satisfies ConversionConfig;

/** `components.schemas` of the document. */
export function namedSchemas(): JsonObject {
  return toJsonSchemaDefs(NAMED_SCHEMAS, CONVERSION);
}

/** A schema as JSON Schema, with references to the named ones. */
export function inlineSchema(schema: GenericSchema): JsonObject {
  const {
    $schema: _dialect,
    $defs: _named,
    ...inline
  } = toJsonSchema(schema, {
    ...CONVERSION,
    definitions: NAMED_SCHEMAS,
  });
  return inline;
}

/** `content` of a body. */
export function content(
  schema: GenericSchema,
  mediaTypes: readonly string[] = [JSON_MEDIA_TYPE],
): JsonObject {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema: inlineSchema(schema) }]));
}
