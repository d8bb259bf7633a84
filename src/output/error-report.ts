import type { CliError } from "../errors.js";
import { boundText, boundValue } from "./bounded-value.js";
import { escapeJson, sanitizeBlock, sanitizeLine } from "./sanitize.js";
import { PLAIN_STYLE, type Style } from "./style.js";

/** UTF-16 code units of one line about a single field. */
const DETAIL_MAX = 1000;

export interface ErrorReportOptions {
  /** Whether data is printed as `json` or `ndjson`. */
  readonly json: boolean;
  /** Whether the stream that the error goes to shows colours. */
  readonly color: boolean;
  /** Made for that stream; without it there are no colours. */
  readonly style?: Style | undefined;
}

/**
 * An error as it goes to stderr, line feed included, harmless for a terminal: `error: …`, its details and
 * `hint: …` on lines of their own, or one line of JSON in which what is unknown is null.
 */
export function renderError(error: CliError, { json, color, style }: ErrorReportOptions): string {
  if (json) return renderJson(error);
  return renderText(error, color ? (style ?? PLAIN_STYLE) : PLAIN_STYLE);
}

function renderJson({ code, exitCode, message, hint, status, details, request }: CliError): string {
  const error = {
    code,
    exit_code: exitCode,
    message: boundText(message),
    hint: hint === undefined ? null : boundText(hint),
    status: status ?? null,
    details: boundValue(details ?? null),
    request: request ?? null,
  };
  return `${escapeJson(JSON.stringify({ error }))}\n`;
}

function renderText({ message, hint, details }: CliError, style: Style): string {
  const lines = [
    `${style.bold(style.red("error:"))} ${sanitizeLine(boundText(message))}`,
    ...describeDetails(details).map((line) => `  ${sanitizeLine(boundText(line, DETAIL_MAX))}`),
    ...(hint === undefined ? [] : [`${style.bold("hint:")} ${sanitizeLine(boundText(hint))}`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** More than a person reads; JSON has all of them. */
const LINES_MAX = 20;

/**
 * What the `errors` of problem details say, one line each: a text, an object of field -> messages, or JSON:API's
 * error objects. Anything else, such as the candidates for a name, is for programs.
 * @see RFC 9457 §3.2, JSON:API "Error Objects"
 */
export function describeDetails(details: unknown): readonly string[] {
  const lines = linesOf(details);
  const rest = lines.length - LINES_MAX;
  return rest > 0 ? [...lines.slice(0, LINES_MAX), `… and ${rest} more`] : lines;
}

function linesOf(details: unknown): readonly string[] {
  if (typeof details === "string") return [details];
  if (Array.isArray(details)) return details.flatMap(describeErrorObject);
  if (!isObject(details)) return [];
  return Object.entries(details).flatMap(([field, messages]) =>
    textsOf(messages).map((text) => `${field}: ${text}`),
  );
}

function describeErrorObject(error: unknown): readonly string[] {
  if (!isObject(error)) return textsOf(error);
  const [text] = [...textsOf(error["detail"]), ...textsOf(error["title"])];
  if (text === undefined) return [];
  const { pointer } = isObject(error["source"]) ? error["source"] : {};
  const field = typeof pointer === "string" ? pointer.slice(pointer.lastIndexOf("/") + 1) : "";
  return [field === "" ? text : `${field}: ${text}`];
}

function textsOf(messages: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  return list.filter((message) => typeof message === "string");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Errors may be causes of each other. */
const CAUSES_MAX = 10;

/** The stacks of an error and of what caused it, harmless for a terminal, without a line feed at the end. */
export function stackTrace(error: unknown): string {
  const stacks: string[] = [];
  for (let cause = error; cause instanceof Error && stacks.length < CAUSES_MAX; cause = cause.cause) {
    stacks.push(stackOf(cause));
  }
  return stacks.length === 0 ? sanitizeLine(boundText(String(error))) : stacks.join("\ncaused by: ");
}

/** The message on one line, whatever is in it, and the lines of the stack. */
function stackOf({ name, message, stack = "" }: Error): string {
  return sanitizeLine(boundText(`${name}: ${message}`)) + sanitizeBlock(boundText(framesOf(message, stack)));
}

/** The stack without the message, which may have been another one when the stack was taken. */
function framesOf(message: string, stack: string): string {
  const behind = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
  const first = behind.search(/\n {4}at /);
  return first === -1 ? "" : behind.slice(first);
}
