import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { activityBodySchema, eventBodySchema } from "../../contract/bodies.js";
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
  labelSchema,
  userSchema,
} from "../../contract/resources.js";
import { problemSchema } from "../../contract/route-bodies.js";
import { FAILURE_STATUSES, type Route } from "../../contract/routes.js";

/** Header names in the spelling of the contract. @see contract section 8 */
const RATE_LIMIT_DESCRIPTIONS = {
  "X-RateLimit-Limit": "Requests per window",
  "X-RateLimit-Remaining": "Requests left in this window",
  "X-RateLimit-Reset": "Unix time in seconds at which the window ends",
} as const;

const RATE_LIMIT_HEADERS = Object.fromEntries(
  Object.entries(RATE_LIMIT_DESCRIPTIONS).map(([name, description]) => [
    name,
    { description, schema: { type: "integer", minimum: 0 } },
  ]),
);

export const NOT_OF_CONTRACT = "Not part of the contract: other services may not have it.";

/** `components.headers`: sent with every response. */
export const RESPONSE_HEADERS = {
  ...RATE_LIMIT_HEADERS,
  "X-Request-Id": {
    description: `Under which the operator finds the request in the log. ${NOT_OF_CONTRACT}`,
    schema: { type: "string" },
  },
};

/** Of reads whose answer a client may have already. @see RFC 9110 §8.8.3, §13.1.2 */
const ENTITY_TAG_HEADERS = {
  ETag: { description: `Names this answer. ${NOT_OF_CONTRACT}`, schema: { type: "string" } },
  "Cache-Control": { schema: { const: "private, no-cache" } },
  "Calendar-Revision": {
    description: `Beside events of a calendar: its revision, for what changes later. ${NOT_OF_CONTRACT}`,
    schema: { type: "integer", minimum: 1 },
  },
};

/** `parameters` of an operation whose answer has an entity tag. */
export function conditionParameters(route: Route): JsonObject[] {
  if (route.method !== "GET") return [];
  const description = `Entity tags of the answers that the client has. ${NOT_OF_CONTRACT}`;
  return [{ name: "If-None-Match", in: "header", description, schema: { type: "string" } }];
}

const HEADER_REFS = Object.fromEntries(
  Object.keys(RESPONSE_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** `paths` of the endpoints for the operator's probes, which take no token and are not counted. */
export function healthPaths(): JsonObject {
  const path = (operationId: string, summary: string, failures: readonly ProblemStatus[]) => ({
    get: {
      operationId,
      summary,
      description: NOT_OF_CONTRACT,
      security: [],
      responses: {
        200: {
          description: summary,
          content: {
            [JSON_MEDIA_TYPE]: {
              schema: { type: "object", properties: { status: { const: "ok" } }, required: ["status"] },
            },
          },
        },
        ...Object.fromEntries(failures.map((status) => [status, { description: STATUS_TITLES[status] }])),
      },
    },
  });
  return {
    "/healthz": path("getHealth", "Whether the service answers", []),
    "/readyz": path("getReadiness", "Whether the service can read and write its database", [500, 503]),
  };
}

const DOCUMENTED_FAILURES: readonly ProblemStatus[] = [...FAILURE_STATUSES, 410, 413];

/** Whether a route has a failure. */
function mayFail(status: ProblemStatus, { path, query }: Route, { request }: RouteBodies): boolean {
  if (status === 404) return path.includes("{");
  if (status === 410) return query !== undefined && "since" in query;
  return status !== 413 || request !== undefined;
}

const FAILURE_HEADERS: Partial<Record<ProblemStatus, JsonObject>> = {
  401: { "WWW-Authenticate": { description: "RFC 6750 §3", schema: { type: "string" } } },
  429: { "Retry-After": { description: "Seconds to wait", schema: { type: "integer", minimum: 1 } } },
};

/** `components.responses`: one problem per status. */
export function failureResponses(): JsonObject {
  return Object.fromEntries(
    DOCUMENTED_FAILURES.map((status) => [
      failureName(status),
      {
        description: STATUS_TITLES[status],
        headers: { ...HEADER_REFS, ...FAILURE_HEADERS[status] },
        content: { [PROBLEM_MEDIA_TYPE]: { schema: inlineSchema(problemSchema) } },
      },
    ]),
  );
}

/** The bodies of a route: undefined without a request body, null without a response body. */
export interface RouteBodies {
  readonly request: GenericSchema | undefined;
  readonly response: GenericSchema | null;
}

/** `responses` of an operation. */
export function operationResponses(route: Route, bodies: RouteBodies): JsonObject {
  const { response } = bodies;
  const failures = DOCUMENTED_FAILURES.filter((status) => mayFail(status, route, bodies));
  const tagged = route.method === "GET";
  const headers = { ...HEADER_REFS, ...(tagged && ENTITY_TAG_HEADERS) };
  return {
    ...(tagged && { 304: { description: "The client has this answer", headers } }),
    [route.success]: {
      description: route.summary,
      headers,
      ...(response !== null && {
        content: { [JSON_MEDIA_TYPE]: { schema: inlineSchema(response) } },
      }),
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
  overrideRef: ({ referenceId }) => schemaRef(referenceId),
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

function schemaRef(name: string): string {
  return `#/components/schemas/${name}`;
}
