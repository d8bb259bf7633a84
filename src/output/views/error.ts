import type { Shape } from "../shape.js";

/** The object under `error` in the last line of stderr, with `-o json` and `ndjson`. */
export const errorShape: Shape = {
  shape: "error",
  keys: {
    code: { type: "string", about: "what went wrong, one of error_codes" },
    exit_code: { type: "integer" },
    message: { type: "string", about: "for people; its wording may change" },
    hint: { type: "string?", about: "what to do next, for people" },
    status: { type: "integer?", about: "HTTP status of the response that caused it" },
    details: {
      type: "any",
      about: "what the service said by field, candidates for a name, or the items that failed",
    },
    request: { type: "string?", about: "method and path of the request that failed" },
  },
};
