import * as v from "valibot";
import { STATUS_TITLES } from "../../contract/problem.js";
import type { HttpResponse } from "../transport/transport.js";

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
