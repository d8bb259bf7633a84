import { type GenericSchema, union } from "valibot";
import { EVENT_RULES, eventBodySchema, URL_RULES } from "../../contract/bodies.js";
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
import { REQUEST_BODIES, RESPONSE_BODIES } from "../../contract/route-bodies.js";
import { ROUTES, type Route } from "../../contract/routes.js";
import {
  conditionParameters,
  failureResponses,
  healthPaths,
  inlineSchema,
  type JsonObject,
  NOT_OF_CONTRACT,
  namedSchemas,
  operationResponses,
  RESPONSE_HEADERS,
  type RouteBodies,
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
      ...metadataPath(),
      ...healthPaths(),
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
    const bodies = { request: REQUESTS[name], response: RESPONSES[name] ?? null };
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operation(name, route, bodies),
    };
  }
  return paths;
}

const REQUESTS: Readonly<Record<string, GenericSchema>> = REQUEST_BODIES;
const RESPONSES: Readonly<Record<string, GenericSchema | null>> = RESPONSE_BODIES;

function operation(operationId: string, route: Route, bodies: RouteBodies): JsonObject {
  return {
    operationId,
    summary: route.summary,
    parameters: [
      ...pathParameters(route),
      ...includeParameter(route),
      ...queryParameters(route),
      ...conditionParameters(route),
    ],
    ...(bodies.request !== undefined && { requestBody: requestBody(bodies.request) }),
    responses: operationResponses(route, bodies),
  };
}

function pathParameters({ path }: Route): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1 },
  }));
}

/** One comma-separated value: `explode: false`. */
function includeParameter({ include }: Route): JsonObject[] {
  if (include === undefined) return [];
  return [
    {
      name: "include",
      in: "query",
      description: "Related objects to return in full, none if it is empty",
      allowEmptyValue: true,
      style: "form",
      explode: false,
      schema: { type: "array", items: { type: "string", enum: include } },
    },
  ];
}

function queryParameters({ query = {} }: Route): JsonObject[] {
  return Object.entries(query).map(([name, { description, schema }]) => ({
    name,
    in: "query",
    description,
    schema,
  }));
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

/** `paths` of the authorization server, which take no token. @see contract section 5 */
function oauthPaths(servers: readonly JsonObject[]): JsonObject {
  const { authorize, token } = OAUTH_ROUTES;
  return {
    [authorize.path]: {
      servers,
      get: {
        operationId: "authorize",
        summary: authorize.summary,
        security: [],
        parameters: authorizeParameters(),
        responses: {
          200: { description: "A page on which the user signs in, then allows or denies access" },
          303: {
            description:
              "To the redirect URI: after the user's decision with code and state or error, otherwise with error",
            headers: { Location: { schema: { type: "string" } } },
          },
          400: { description: "The client or its redirect URI is unknown" },
          421: { description: "The host is not that of the service" },
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

/** `paths` of the metadata, at the origin for clients that follow RFC 8414 §3.1. */
function metadataPath(): JsonObject {
  return {
    [METADATA_PATH]: {
      get: {
        operationId: "getAuthorizationServerMetadata",
        summary: "Find the authorization server, and the client that needs no registration",
        description: `RFC 8414. ${NOT_OF_CONTRACT}`,
        security: [],
        responses: {
          200: { description: "The metadata", content: content(metadataSchema) },
          421: { description: "The host is not that of the service" },
        },
      },
    },
  };
}

function authorizeParameters(): JsonObject[] {
  return Object.entries<GenericSchema>(authorizeQuerySchema.entries).map(([name, schema]) => ({
    name,
    in: "query",
    required: schema.type !== "optional",
    schema: inlineSchema(schema),
  }));
}

function content(schema: GenericSchema, mediaTypes: readonly string[] = [JSON_MEDIA_TYPE]): JsonObject {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema: inlineSchema(schema) }]));
}
