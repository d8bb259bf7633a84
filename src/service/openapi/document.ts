import { DEFAULT_MEDIA_TYPE } from "../../contract/limits.js";
import { OAUTH_ROUTES } from "../../contract/oauth.js";
import { failureResponses, type JsonObject, namedSchemas, rateLimitHeaders } from "./components.js";
import { oauthPaths, routePaths } from "./paths.js";

export interface OpenApiOptions {
  /** URL of the service; a part in braces becomes a server variable. */
  readonly baseUrl: string;
  /** URL of its authorization server, `{baseUrl}/oauth` by default. */
  readonly authUrl?: string;
  /** What clients are recommended to accept. */
  readonly mediaType?: string;
}

/** Where URLs with a part in braces point before somebody fills it in. */
const DEFAULT_BASE_URL = "http://127.0.0.1:8787";

/** The contract as an OpenAPI 3.1 document. @see https://spec.openapis.org/oas/v3.1.0 */
export function openApiDocument(options: OpenApiOptions): JsonObject {
  const { baseUrl, authUrl = `${baseUrl}/oauth`, mediaType = DEFAULT_MEDIA_TYPE } = options;
  return {
    openapi: "3.1.0",
    info: {
      title: "Calendar Sharing Service",
      version: "1",
      description: `Every answer is JSON. Clients are recommended to send \`Accept: ${mediaType}\`.`,
    },
    servers: [server(baseUrl, DEFAULT_BASE_URL)],
    security: [{ personalAccessToken: [] }, { authorizationCode: [] }],
    paths: { ...routePaths(), ...oauthPaths([server(authUrl, `${DEFAULT_BASE_URL}/oauth`)]) },
    components: {
      schemas: namedSchemas(),
      headers: rateLimitHeaders(),
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
