import { type GenericSchema, literal, object, union } from "valibot";
import { EVENT_RULES, eventBodySchema, URL_RULES } from "../../contract/bodies.js";
import { IDEMPOTENCY_KEY_PATTERN } from "../../contract/extensions.js";
import { DEFAULT_MEDIA_TYPE, FORM_MEDIA_TYPE, JSON_MEDIA_TYPE } from "../../contract/media-types.js";
import {
  authorizeQuerySchema,
  basicTokenRequestSchema,
  METADATA_PATH,
  metadataSchema,
  OAUTH_ROUTES,
  oauthErrorSchema,
  tokenRequestSchema,
  tokenResponseSchema,
} from "../../contract/oauth.js";
import { type ProblemStatus, STATUS_TITLES } from "../../contract/problem.js";
import { REQUEST_BODIES, RESPONSE_BODIES } from "../../contract/resources.js";
import { ROUTES, type Route } from "../../contract/routes.js";
import {
  content,
  failureResponses,
  inlineSchema,
  type JsonObject,
  NOT_OF_CONTRACT,
  namedSchemas,
  operationResponses,
  RESPONSE_HEADERS,
  takesKey,
} from "./components.js";

export interface OpenApiOptions {
  /** URL of the service. A part in braces becomes a server variable. */
  readonly baseUrl: string;
  /** URL of its authorization server, `{baseUrl}/oauth` by default. */
  readonly authUrl?: string;
  /** Media type that clients should accept. */
  readonly mediaType?: string;
}

/** Default value of server variables. */
const DEFAULT_BASE_URL = "http://127.0.0.1:8787";

/** The contract as an OpenAPI 3.1 document. @see https://spec.openapis.org/oas/v3.1.0 */
export function openApiDocument(options: OpenApiOptions): JsonObject {
  const { baseUrl, authUrl = `${baseUrl}/oauth`, mediaType = DEFAULT_MEDIA_TYPE } = options;
  return {
    openapi: "3.1.0",
    info: {
      title: "Calendar Sharing Service",
      version: "1",
      description: [
        `Every response is JSON. Clients should send \`Accept: ${mediaType}\`; \`application/json\` or any`,
        "`application/…+json` is accepted too. One slash at the end of a path is ignored.",
      ].join(" "),
    },
    servers: [server(baseUrl, DEFAULT_BASE_URL)],
    security: [{ personalAccessToken: [] }, { authorizationCode: [] }],
    paths: {
      ...routePaths(),
      ...oauthPaths([server(authUrl, `${DEFAULT_BASE_URL}/oauth`)]),
      ...otherPaths(),
    },
    components: {
      schemas: namedSchemas(),
      headers: RESPONSE_HEADERS,
      responses: failureResponses(),
      securitySchemes: securitySchemes(authUrl.replace(VARIABLE, `${DEFAULT_BASE_URL}/oauth`)),
    },
  };
}

const VARIABLE = /\{(\w+)\}/g;

function server(url: string, defaultValue: string): JsonObject {
  const names = [...url.matchAll(VARIABLE)].map(([, name]) => name);
  if (names.length === 0) return { url };
  return { url, variables: Object.fromEntries(names.map((name) => [name, { default: defaultValue }])) };
}

function securitySchemes(authUrl: string): JsonObject {
  return {
    personalAccessToken: { type: "http", scheme: "bearer" },
    clientBasic: { type: "http", scheme: "basic", description: "Client id and secret, form-urlencoded" },
    authorizationCode: {
      type: "oauth2",
      flows: {
        authorizationCode: {
          authorizationUrl: `${authUrl}${OAUTH_ROUTES.authorize.path}`,
          tokenUrl: `${authUrl}${OAUTH_ROUTES.token.path}`,
          scopes: {},
        },
      },
    },
  };
}

/** `paths` of the contract's routes. */
function routePaths(): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return paths;
}

const REQUESTS: Readonly<Record<string, GenericSchema>> = REQUEST_BODIES;
const RESPONSES: Readonly<Record<string, GenericSchema | null>> = RESPONSE_BODIES;

function operation(operationId: string, route: Route): JsonObject {
  const request = REQUESTS[operationId];
  return {
    operationId,
    summary: route.summary,
    parameters: parametersOf(route),
    ...(request !== undefined && { requestBody: requestBody(request) }),
    responses: operationResponses(route, {
      hasBody: request !== undefined,
      response: RESPONSES[operationId],
    }),
  };
}

function parametersOf(route: Route): JsonObject[] {
  const { method, path, include, query = {} } = route;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const includeParameter = {
    name: "include",
    in: "query",
    description: "Related objects to return in full, none if it is empty",
    allowEmptyValue: true,
    style: "form",
    // One comma-separated value.
    explode: false,
    schema: { type: "array", items: { type: "string", enum: include } },
  };
  const condition = {
    name: "If-None-Match",
    in: "header",
    description: `Entity tags of the responses that the client has. ${NOT_OF_CONTRACT}`,
    schema: { type: "string" },
  };
  const key = {
    name: "Idempotency-Key",
    in: "header",
    description: `Makes it safe to repeat the request: what the first one with this key made is the answer. ${NOT_OF_CONTRACT}`,
    schema: { type: "string", pattern: IDEMPOTENCY_KEY_PATTERN.source },
  };
  return [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string", minLength: 1 } })),
    ...(include === undefined ? [] : [includeParameter]),
    ...Object.entries(query).map(([name, parameter]) => ({ name, in: "query", ...parameter })),
    ...(method === "GET" ? [condition] : []),
    ...(takesKey(route) ? [key] : []),
  ];
}

function requestBody(body: GenericSchema): JsonObject {
  return {
    required: true,
    ...(body === eventBodySchema && { description: eventRules() }),
    content: content(body),
  };
}

/** The rules that a schema cannot express. */
function eventRules(): string {
  return [...EVENT_RULES, ...URL_RULES].map(({ field, problem }) => `- \`${field}\` ${problem}`).join("\n");
}

const OTHER_HOST = { 421: { description: "The host is not that of the service" } };

/** `paths` of the authorization server. @see contract section 5 */
function oauthPaths(servers: readonly JsonObject[]): JsonObject {
  const { authorize, token } = OAUTH_ROUTES;
  return {
    [authorize.path]: {
      servers,
      get: {
        operationId: "authorize",
        summary: authorize.summary,
        security: [],
        parameters: Object.entries<GenericSchema>(authorizeQuerySchema.entries).map(([name, schema]) => ({
          name,
          in: "query",
          required: schema.type !== "optional",
          schema: inlineSchema(schema),
        })),
        responses: {
          200: { description: "A page on which the user signs in, then allows or denies access" },
          303: {
            description:
              "To the redirect URI: after the user's decision with code and state or error, otherwise with error",
            headers: { Location: { schema: { type: "string" } } },
          },
          400: { description: "The client or its redirect URI is unknown" },
          ...OTHER_HOST,
        },
      },
    },
    [token.path]: {
      servers,
      post: {
        operationId: "token",
        summary: token.summary,
        description:
          "The client sends its id and secret in the body or by HTTP Basic, not both. The public client has no secret.",
        security: [{}, { clientBasic: [] }],
        requestBody: {
          required: true,
          content: content(union([tokenRequestSchema, basicTokenRequestSchema]), [
            JSON_MEDIA_TYPE,
            FORM_MEDIA_TYPE,
          ]),
        },
        responses: {
          200: { description: "The access token", content: content(tokenResponseSchema) },
          400: { description: "RFC 6749 §5.2", content: content(oauthErrorSchema) },
          401: {
            description: "The client is unknown or its secret is wrong",
            headers: {
              "WWW-Authenticate": { description: "After HTTP Basic", schema: { type: "string" } },
            },
            content: content(oauthErrorSchema),
          },
        },
      },
    },
  };
}

/** `paths` beside the contract, which take no token: the metadata of RFC 8414 §3.1, and the operator's probes. */
function otherPaths(): JsonObject {
  const get = (operation: JsonObject) => ({
    get: { description: NOT_OF_CONTRACT, security: [], ...operation },
  });
  const probe = (operationId: string, summary: string, failures: readonly ProblemStatus[]) => {
    const ok = { description: summary, content: content(object({ status: literal("ok") })) };
    const failed = failures.map((status) => [status, { description: STATUS_TITLES[status] }]);
    return get({ operationId, summary, responses: { 200: ok, ...Object.fromEntries(failed) } });
  };
  return {
    [METADATA_PATH]: get({
      operationId: "getAuthorizationServerMetadata",
      summary: "Find the authorization server, and the client that needs no registration",
      description: `RFC 8414. ${NOT_OF_CONTRACT}`,
      responses: { 200: { description: "The metadata", content: content(metadataSchema) }, ...OTHER_HOST },
    }),
    "/feeds/{secret}.ics": get(feedOperation("getFeed", "A feed as iCalendar", "text/calendar")),
    "/feeds/{secret}": get(feedOperation("getFeedPage", "A week of a feed as a page", "text/html")),
    "/healthz": probe("getHealth", "Whether the service answers", []),
    "/readyz": probe("getReadiness", "Whether the service can read and write its database", [500, 503]),
  };
}

/** What anybody who has the address of a feed may ask for. */
function feedOperation(operationId: string, summary: string, mediaType: string): JsonObject {
  const failures = ([404, 410, 429] as const).map((status) => [
    status,
    { description: STATUS_TITLES[status] },
  ]);
  return {
    operationId,
    summary,
    parameters: [{ name: "secret", in: "path", required: true, schema: { type: "string" } }],
    responses: {
      200: { description: summary, content: { [mediaType]: { schema: { type: "string" } } } },
      304: { description: "The client has this response" },
      ...Object.fromEntries(failures),
    },
  };
}
