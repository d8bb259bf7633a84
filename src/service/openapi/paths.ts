import type { GenericSchema } from "valibot";
import { EVENT_RULES, eventBodySchema } from "../../contract/bodies.js";
import { JSON_MEDIA_TYPE } from "../../contract/limits.js";
import {
  authorizeQuerySchema,
  OAUTH_ROUTES,
  oauthErrorSchema,
  tokenAnswerSchema,
  tokenRequestSchema,
} from "../../contract/oauth.js";
import { ROUTES, type Route } from "../../contract/routes.js";
import { inlineSchema, type JsonObject, operationResponses } from "./components.js";

/** `paths` of the contract's routes. */
export function routePaths(): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, route] of Object.entries<Route>(ROUTES)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(operationId, route) };
  }
  return paths;
}

function operation(operationId: string, route: Route): JsonObject {
  return {
    operationId,
    summary: route.summary,
    parameters: [...pathParameters(route), ...includeParameter(route), ...queryParameters(route)],
    ...(route.body !== undefined && { requestBody: requestBody(route.body) }),
    responses: operationResponses(route),
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

/** One comma-separated value, which is what `explode: false` says. */
function includeParameter({ include }: Route): JsonObject[] {
  if (include === undefined) return [];
  return [
    {
      name: "include",
      in: "query",
      description: "Related objects to return in full",
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
    schema: inlineSchema(schema),
  }));
}

function requestBody(body: NonNullable<Route["body"]>): JsonObject {
  return {
    required: true,
    ...(body === eventBodySchema && { description: eventRules() }),
    content: { [JSON_MEDIA_TYPE]: { schema: inlineSchema(body) } },
  };
}

/** The rules over several fields, which the schema cannot hold. */
function eventRules(): string {
  return EVENT_RULES.map(({ field, problem }) => `- \`${field}\` ${problem}`).join("\n");
}

/** `paths` of the authorization server, which need no token. @see contract section 5 */
export function oauthPaths(servers: readonly JsonObject[]): JsonObject {
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
          200: { description: "A page for the user's browser to sign in, then to allow or deny" },
          303: {
            description:
              "To the redirect URI, with error; once the user has decided, with code and state or with error",
            headers: { Location: { schema: { type: "string" } } },
          },
          400: { description: "The client or its redirect URI is not known" },
        },
      },
    },
    [token.path]: {
      servers,
      post: {
        operationId: "token",
        summary: token.summary,
        security: [],
        requestBody: { required: true, content: json(tokenRequestSchema) },
        responses: {
          200: { description: "The access token", content: json(tokenAnswerSchema) },
          400: { description: "RFC 6749 §5.2", content: json(oauthErrorSchema) },
          401: {
            description: "The client is not known or its secret is wrong",
            content: json(oauthErrorSchema),
          },
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

function json(schema: GenericSchema): JsonObject {
  return { [JSON_MEDIA_TYPE]: { schema: inlineSchema(schema) } };
}
