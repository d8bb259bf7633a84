import * as v from "valibot";
import { STATUS_TITLES } from "../../contract/problem.js";
import type { HttpMethod } from "../../contract/routes.js";
import type { CliErrorOptions } from "../../errors.js";
import type { HttpResponse } from "../transport.js";

/** One call of the client, as messages speak of it. */
export interface Call {
  readonly method: HttpMethod;
  /** Path below the base URL, without the query. */
  readonly path: string;
  /** The whole address. */
  readonly url: string;
  /** Value of `Accept`. */
  readonly mediaType: string;
  /** Where the token came from; undefined without one. */
  readonly tokenSource?: string | undefined;
  /** What is read or written: `event abc`, `the calendars`. */
  readonly subject: string;
  /** What a 404 says is not there, where it is not the subject itself. */
  readonly notFound?: string | undefined;
  /** Where to look when it is unknown whether a write was done. */
  readonly lookAt?: string | undefined;
}

/** The hint where something answers that no service of the contract would. */
export const WRONG_BASE_URL = "is the base URL that of a calendar sharing service?";

/** What the errors of a call have in common. */
export function requestOf(call: Call): { readonly request: string } {
  return { request: `${call.method} ${call.path}` };
}

/** What the errors of an answer have in common. */
export function answerOptions(call: Call, response: HttpResponse): CliErrorOptions {
  return { ...requestOf(call), status: response.status, details: serviceWords(response) };
}

/** Most of a text without structure that is passed on, in UTF-16 code units. */
const TEXT_MAX = 300;

const text = v.optional(v.fallback(v.nullable(v.string()), null), null);

/** Problem details, JSON:API's errors and OAuth's error answer, as far as their words go. */
const bodySchema = v.looseObject({
  errors: v.optional(v.unknown()),
  detail: text,
  title: text,
  error_description: text,
  error: text,
  message: text,
});

const TITLES: ReadonlySet<string> = new Set(Object.values(STATUS_TITLES));

/**
 * What an answer that is no success says of itself: `errors` as they are, else one sentence; undefined where it says
 * nothing but its status, as the pages of gateways do.
 * @see RFC 9457 §3, JSON:API "Error Objects", RFC 6749 §5.2
 */
export function serviceWords({ headers, body }: HttpResponse): unknown {
  const decoded = new TextDecoder().decode(body);
  const json = parse(decoded);
  if (json === undefined) {
    return headers["content-type"]?.startsWith("text/plain") === true ? shorten(decoded) : undefined;
  }
  const parsed = v.safeParse(bodySchema, json);
  if (!parsed.success) return typeof json === "string" ? shorten(json) : undefined;
  const { errors, detail, error_description, message, title, error } = parsed.output;
  if (errors !== undefined && errors !== null) return errors;
  const words = [detail, error_description, message, title, error];
  return words.map((word) => (word === null || TITLES.has(word) ? undefined : shorten(word))).find(Boolean);
}

function parse(decoded: string): unknown {
  try {
    return JSON.parse(decoded);
  } catch {
    // Gateways answer in HTML or not at all.
    return undefined;
  }
}

/** Undefined for what is empty. */
function shorten(words: string): string | undefined {
  const trimmed = words.trim();
  if (trimmed === "") return undefined;
  return trimmed.length > TEXT_MAX ? `${trimmed.slice(0, TEXT_MAX)}…` : trimmed;
}
