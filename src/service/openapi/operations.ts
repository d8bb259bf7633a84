import { EVENT_RULES, eventBodySchema } from "../../contract/bodies.js";
import { JSON_MEDIA_TYPE } from "../../contract/media-type.js";
import { ROUTES, type Route } from "../../contract/routes.js";
import { operationResponses } from "./responses.js";
import { inlineSchema, type JsonObject } from "./schemas.js";

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
