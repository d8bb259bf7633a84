import { JSON_MEDIA_TYPE } from "../../contract/media-types.js";
import { badRequest, ProblemError } from "./response.js";

interface MediaRange {
  /** `type/subtype` in lower case, either part may be `*`. */
  readonly range: string;
  readonly quality: number;
}

/**
 * Whether an `Accept` header accepts JSON: `application/json`, possibly by a range, or any type `application/*+json`,
 * whatever its parameters. No header accepts anything; malformed ranges are ignored.
 * @see RFC 9110 §12.5.1, RFC 6839 §3.1, contract section 9
 */
export function acceptsJson(header: string | undefined): boolean {
  if (header === undefined || header.trim() === "") return true;
  const ranges = parseAccept(header);
  const named = ranges.some(({ range, quality }) => JSON_SUFFIX.test(range) && quality > 0);
  return named || qualityOf(ranges, [JSON_MEDIA_TYPE, "application/*", "*/*"]) > 0;
}

function parseAccept(header: string): readonly MediaRange[] {
  return (header.match(LIST_MEMBERS) ?? []).flatMap(parseMediaRange);
}

const JSON_SUFFIX = /^application\/.+\+json$/;

/** What a comma or a semicolon separates. One in a quoted string does not; a string that is not closed runs to the end. */
const LIST_MEMBERS = /(?:[^",]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;
const PARAMETERS = /(?:[^";]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;

/** The most specific range that matches decides, wherever it is in the header. */
function qualityOf(ranges: readonly MediaRange[], mostSpecificFirst: readonly string[]): number {
  for (const candidate of mostSpecificFirst) {
    const matching = ranges.filter(({ range }) => range === candidate);
    if (matching.length > 0) return Math.max(...matching.map(({ quality }) => quality));
  }
  return 0;
}

function parseMediaRange(text: string): readonly MediaRange[] {
  const parts = text.match(PARAMETERS) ?? [];
  const [range = "", ...parameters] = parts.map((part) => part.trim().toLowerCase());
  if (!/^[^\s/]+\/[^\s/]+$/.test(range)) return [];
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (weight === undefined) return [{ range, quality: 1 }];
  const value = weight.slice(weight.indexOf("=") + 1).trim();
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? [{ range, quality: Number(value) }] : [];
}

/** Maximum size of a request body in bytes. */
export const BODY_LIMIT = 1024 * 1024;

export function bodyTooLarge(): ProblemError {
  return new ProblemError(413, { errors: `the body must be at most ${BODY_LIMIT} bytes` });
}

/** How many values the JSON of a body may have. Parsing and checking so many takes a few milliseconds. */
const MAX_JSON_VALUES = 10_000;

/** @throws ProblemError 400 when the text of a body is not JSON or has more than MAX_JSON_VALUES values */
export function parseJson(text: string): unknown {
  if (!hasFewValues(text)) throw badRequest(`the body must have at most ${MAX_JSON_VALUES} JSON values`);
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("the body must be JSON");
  }
}

/** Each value but the first follows a comma, or is the first of its list or object. */
function hasFewValues(text: string): boolean {
  let values = 1;
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position];
    if (character === '"') position = endOfString(text, position);
    else if (character === "," || character === "[" || character === "{") values += 1;
    if (values > MAX_JSON_VALUES) return false;
  }
  return true;
}

/** The position of the quotation mark that closes a string; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let unescaped = end;
    while (text[unescaped - 1] === "\\") unescaped -= 1;
    if ((end - unescaped) % 2 === 0) return end;
  }
  return text.length;
}

/**
 * The text of a body, and which of the media types it has.
 * @param headers names in lower case
 * @throws ProblemError 413 when it is larger than BODY_LIMIT; 400 when it has another type or charset, is compressed or
 * is not UTF-8, because the contract has no 415
 */
export function decodeBody(
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  mediaTypes: readonly string[],
): { readonly mediaType: string; readonly text: string } {
  if (body.byteLength > BODY_LIMIT) throw bodyTooLarge();
  const mediaType = mediaTypes.find((type) => isUtf8Text(headers["content-type"], type));
  if (mediaType === undefined)
    throw badRequest(`the content type must be ${mediaTypes.join(" or ")}, in UTF-8`);
  if (!isPlain(headers["content-encoding"])) throw badRequest("the body must not have a content encoding");
  try {
    return { mediaType, text: new TextDecoder("utf-8", { fatal: true }).decode(body) };
  } catch {
    throw badRequest("the body must be UTF-8");
  }
}

/** @see RFC 9110 §8.4 */
function isPlain(contentEncoding = ""): boolean {
  return contentEncoding.split(",").every((coding) => ["", "identity"].includes(coding.trim().toLowerCase()));
}

function isUtf8Text(contentType: string | undefined, mediaType: string): boolean {
  const [type, ...parameters] = (contentType ?? "").split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  return type === mediaType && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}
