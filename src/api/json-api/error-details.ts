import { isJsonObject, parseJson } from "../../../contract/json.js";
import { STATUS_TITLES } from "../../../contract/problem.js";
import type { HttpResponse } from "../transport.js";

/** Longest unstructured text that is passed on, in UTF-16 code units. */
const MAX_LENGTH = 300;

/** Members with a sentence, of problem details, JSON:API errors and OAuth errors; the first that is there counts. */
const SENTENCES = ["detail", "error_description", "message", "title", "error"];

const STANDARD_TITLES: ReadonlySet<string> = new Set(Object.values(STATUS_TITLES));

/**
 * What an error response says about its cause: its `errors` unchanged, else one sentence; undefined if it says nothing
 * but its status, like the pages of gateways.
 * @see RFC 9457 §3, JSON:API "Error Objects", RFC 6749 §5.2
 */
export function readErrorDetails({ headers, body }: HttpResponse): unknown {
  const decoded = new TextDecoder().decode(body);
  const json = parseJson(decoded);
  // Gateways send HTML or nothing.
  if (json === undefined) {
    return headers["content-type"]?.startsWith("text/plain") === true ? shorten(decoded) : undefined;
  }
  if (!isJsonObject(json)) return typeof json === "string" ? shorten(json) : undefined;
  const { errors } = json;
  if (errors !== undefined && errors !== null) return errors;
  return SENTENCES.map((name) => json[name])
    .map((value) => (typeof value !== "string" || STANDARD_TITLES.has(value) ? undefined : shorten(value)))
    .find((value) => value !== undefined);
}

/** Undefined for an empty text. */
function shorten(value: string): string | undefined {
  const trimmed = value.trim();
  if (trimmed === "") return undefined;
  return trimmed.length > MAX_LENGTH ? `${trimmed.slice(0, MAX_LENGTH)}…` : trimmed;
}
