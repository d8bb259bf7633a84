import type { GenericSchema } from "valibot";
import { JSON_MEDIA_TYPE } from "../../contract/media-type.js";
import {
  authorizeQuerySchema,
  OAUTH_ROUTES,
  oauthErrorSchema,
  tokenAnswerSchema,
  tokenRequestSchema,
} from "../../contract/oauth.js";
import { inlineSchema, type JsonObject } from "./schemas.js";

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
