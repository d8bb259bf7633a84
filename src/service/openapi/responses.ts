import { JSON_MEDIA_TYPE, PROBLEM_MEDIA_TYPE } from "../../contract/media-type.js";
import { type ProblemStatus, problemSchema, STATUS_TITLES } from "../../contract/problem.js";
import { FAILURE_STATUSES, type Route } from "../../contract/routes.js";
import { inlineSchema, type JsonObject } from "./schemas.js";

/** Names as the contract spells them. @see contract section 8 */
const RATE_LIMIT_DESCRIPTIONS = {
  "X-RateLimit-Limit": "Requests per window",
  "X-RateLimit-Remaining": "Requests left in this window",
  "X-RateLimit-Reset": "Unix time in seconds at which the window ends",
} as const;

/** `components.headers`: on all answers. */
export function rateLimitHeaders(): JsonObject {
  return Object.fromEntries(
    Object.entries(RATE_LIMIT_DESCRIPTIONS).map(([name, description]) => [
      name,
      { description, schema: { type: "integer", minimum: 0 } },
    ]),
  );
}

const HEADER_REFS = Object.fromEntries(
  Object.keys(RATE_LIMIT_DESCRIPTIONS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const DOCUMENTED_FAILURES: readonly ProblemStatus[] = [...FAILURE_STATUSES, 413];

const FAILURE_HEADERS: Partial<Record<ProblemStatus, JsonObject>> = {
  401: { "WWW-Authenticate": { description: "RFC 6750 §3", schema: { type: "string" } } },
  429: { "Retry-After": { description: "Seconds to wait", schema: { type: "integer", minimum: 1 } } },
};

/** `components.responses`: one problem for each status. */
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

/** `responses` of one operation. */
export function operationResponses(route: Route): JsonObject {
  const failures = DOCUMENTED_FAILURES.filter(
    (status) => (status !== 413 || route.body !== undefined) && (status !== 404 || route.path.includes("{")),
  );
  return {
    [route.success]: {
      description: route.summary,
      headers: HEADER_REFS,
      ...(route.answer !== null && {
        content: { [JSON_MEDIA_TYPE]: { schema: inlineSchema(route.answer) } },
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
