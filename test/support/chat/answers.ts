import type { ChatKind } from "./services.js";

/** An answer as a service sends it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What services answer: `removed` to a hook that is no more, `forbidden` to one that may not post, `rate_limited` with
 * when to come back, a second later.
 */
export type AnswerName = "accepted" | "invalid" | "removed" | "forbidden" | "rate_limited" | "broken";

/** The answer of a service, in its own words. */
export function answerOf(kind: ChatKind, name: AnswerName): Answer {
  return ANSWERS[kind][name];
}

const RETRY = { "retry-after": "1" };

function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body };
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

function workflow(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return json(status, { error: { code, message: `The workflow says ${code}.` } }, headers);
}

function mattermost(status: number, id: string, message: string): Answer {
  return json(status, { id, message, detailed_error: "", request_id: "abc123", status_code: status });
}

function telegram(status: number, description: string, parameters?: unknown): Answer {
  return json(status, {
    ok: false,
    error_code: status,
    description,
    ...(parameters !== undefined && { parameters }),
  });
}

function google(code: number, status: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return json(code, { error: { code, message: `This is ${status}.`, status } }, headers);
}

function ntfy(code: number, error: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const http = Math.floor(code / 100);
  return json(http, { code, http, error, link: "https://ntfy.sh/docs/publish/#limitations" }, headers);
}

const ANSWERS: Readonly<Record<ChatKind, Readonly<Record<AnswerName, Answer>>>> = {
  slack: {
    accepted: text(200, "ok"),
    invalid: text(400, "invalid_blocks"),
    removed: text(404, "no_service"),
    forbidden: text(403, "action_prohibited"),
    rate_limited: text(429, "rate_limited", RETRY),
    broken: text(500, "rollup_error"),
  },
  discord: {
    accepted: { status: 204, headers: {}, body: "" },
    invalid: json(400, {
      message: "Invalid Form Body",
      code: 50035,
      errors: { embeds: { 0: { description: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH" }] } } } },
    }),
    removed: json(404, { message: "Unknown Webhook", code: 10015 }),
    forbidden: json(401, { message: "Invalid Webhook Token", code: 50027 }),
    rate_limited: json(
      429,
      { message: "You are being rate limited.", retry_after: 0.645, global: false },
      {
        ...RETRY,
        "x-ratelimit-limit": "5",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset-after": "0.645",
      },
    ),
    broken: json(502, { message: "502: Bad Gateway", code: 0 }),
  },
  teams: {
    accepted: { status: 202, headers: {}, body: "" },
    invalid: workflow(400, "TriggerInputSchemaMismatch"),
    removed: workflow(404, "WorkflowNotFound"),
    forbidden: workflow(401, "DirectApiAuthorizationRequired"),
    rate_limited: workflow(429, "WorkflowTriggerTooManyRequests", RETRY),
    broken: workflow(502, "NoResponse"),
  },
  mattermost: {
    accepted: text(200, "ok"),
    invalid: mattermost(400, "web.incoming_webhook.text.app_error", "No text specified."),
    removed: mattermost(400, "web.incoming_webhook.invalid.app_error", "Invalid webhook."),
    forbidden: mattermost(
      403,
      "web.incoming_webhook.permissions.app_error",
      "Inappropriate channel permissions.",
    ),
    rate_limited: text(429, "limit exceeded", { ...RETRY, "x-ratelimit-reset": "1" }),
    broken: mattermost(500, "api.context.500.app_error", "Internal Server Error"),
  },
  telegram: {
    accepted: json(200, { ok: true, result: { message_id: 1, chat: { id: 1, type: "group" }, date: 1 } }),
    invalid: telegram(400, "Bad Request: can't parse entities"),
    removed: telegram(401, "Unauthorized"),
    forbidden: telegram(403, "Forbidden: bot was kicked from the group chat"),
    rate_limited: telegram(429, "Too Many Requests: retry after 1", { retry_after: 1 }),
    broken: telegram(502, "Bad Gateway"),
  },
  googlechat: {
    accepted: json(200, { name: "spaces/AAAA/messages/1" }),
    invalid: google(400, "INVALID_ARGUMENT"),
    removed: google(404, "NOT_FOUND"),
    forbidden: google(403, "PERMISSION_DENIED"),
    rate_limited: google(429, "RESOURCE_EXHAUSTED", RETRY),
    broken: google(503, "UNAVAILABLE"),
  },
  ntfy: {
    accepted: json(200, {
      id: "sPs71M8A2T",
      time: 1,
      expires: 2,
      event: "message",
      topic: "t",
      message: "m",
    }),
    invalid: ntfy(41301, "payload too large"),
    removed: ntfy(40401, "page not found"),
    forbidden: ntfy(40301, "forbidden"),
    rate_limited: ntfy(42901, "limit reached: too many requests", RETRY),
    broken: ntfy(50001, "internal server error"),
  },
  json: {
    accepted: { status: 204, headers: {}, body: "" },
    invalid: json(400, { error: "not valid" }),
    removed: json(404, { error: "not found" }),
    forbidden: json(403, { error: "forbidden" }),
    rate_limited: json(429, { error: "too many requests" }, RETRY),
    broken: json(500, { error: "broken" }),
  },
};
