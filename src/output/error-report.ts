import { isJsonObject } from "../../contract/json.js";
import type { CliError } from "../errors.js";
import { escapeJson, sanitizeBlock, sanitizeLine } from "./sanitize.js";
import { PLAIN_STYLE, type Style } from "./style.js";

/** UTF-16 code units of one line about a single field. */
const MAX_DETAIL = 1000;

export interface ErrorReportOptions {
  /** Whether data is printed as `json` or `ndjson`. */
  readonly json: boolean;
  /** The style of stderr; without colors by default. */
  readonly style?: Style;
  /** Breaks a text into lines, `margin` columns narrower than the stream; by default texts are not broken. */
  readonly wrap?: (text: string, margin: number) => readonly string[];
}

/**
 * An error as it goes to stderr, sanitized, line feed included: `error: …`, its details and `hint: …` on separate
 * lines, or one line of JSON (`errorShape`) with null for what is unknown.
 */
export function renderError(error: CliError, options: ErrorReportOptions): string {
  return options.json ? renderJson(error) : renderText(error, options);
}

function renderJson({ code, exitCode, message, hint, status, details, request }: CliError): string {
  const error = {
    code,
    exit_code: exitCode,
    message,
    hint: hint ?? null,
    status: status ?? null,
    details: isNestedWithin(details, MAX_DEPTH) ? (details ?? null) : null,
    request: request ?? null,
  };
  return `${escapeJson(JSON.stringify({ error }))}\n`;
}

function renderText({ message, hint, details }: CliError, options: ErrorReportOptions): string {
  const { style = PLAIN_STYLE, wrap: breakLines = (text) => [text] } = options;
  const wrap = (text: string, indent = ""): readonly string[] =>
    breakLines(text, indent.length).map((line) => indent + line);
  const labeled = (label: string, text: string, paint: (label: string) => string): readonly string[] =>
    wrap(`${label} ${sanitizeLine(text)}`).map((line, index) =>
      index === 0 ? paint(label) + line.slice(label.length) : line,
    );
  const lines = [
    ...labeled("error:", message, (label) => style.bold(style.red(label))),
    ...describeDetails(details).flatMap((line) => wrap(sanitizeLine(boundText(line, MAX_DETAIL)), "  ")),
    ...(hint === undefined ? [] : labeled("hint:", hint, style.bold)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** The message of an error, with what the service said by field, as the reason of one of several failures. */
export function describeReason({ message, details }: CliError): string {
  const lines = describeDetails(details).map((line) => boundText(line, MAX_DETAIL));
  return lines.length === 0 ? message : `${message}: ${lines.join("; ")}`;
}

/** Lines of details that are shown; JSON has all of them. */
const MAX_LINES = 20;

/**
 * One line for each of the `errors` of problem details: a text, an object of field -> messages, or JSON:API's error
 * objects. Anything else, such as the candidates for a name, appears only in JSON.
 * @see RFC 9457 §3.2, JSON:API "Error Objects"
 */
function describeDetails(details: unknown): readonly string[] {
  const lines = linesOf(details);
  const rest = lines.length - MAX_LINES;
  return rest > 0 ? [...lines.slice(0, MAX_LINES), `… and ${rest} more`] : lines;
}

function linesOf(details: unknown): readonly string[] {
  if (typeof details === "string") return [details];
  if (Array.isArray(details)) return details.flatMap(describeErrorObject);
  if (!isJsonObject(details)) return [];
  return Object.entries(details).flatMap(([field, messages]) =>
    textsOf(messages).map((text) => `${field}: ${text}`),
  );
}

function describeErrorObject(error: unknown): readonly string[] {
  if (!isJsonObject(error)) return textsOf(error);
  const [text] = [...textsOf(error["detail"]), ...textsOf(error["title"])];
  if (text === undefined) return [];
  const { pointer } = isJsonObject(error["source"]) ? error["source"] : {};
  const field = typeof pointer === "string" ? pointer.slice(pointer.lastIndexOf("/") + 1) : "";
  return [field === "" ? text : `${field}: ${text}`];
}

function textsOf(messages: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  return list.filter((message) => typeof message === "string");
}

/** Stops at chains in which errors are causes of each other. */
const MAX_CAUSES = 10;

/** UTF-16 code units of all stacks: a message may hold what a service sent. */
const MAX_STACKS = 100_000;

/** The stacks of an error and of its causes, sanitized, without a line feed at the end. */
export function stackTrace(error: unknown): string {
  const stacks: string[] = [];
  for (let cause = error; cause instanceof Error && stacks.length < MAX_CAUSES; cause = cause.cause) {
    stacks.push(stackOf(cause));
  }
  const text = stacks.length === 0 ? sanitizeLine(String(error)) : stacks.join("\ncaused by: ");
  return boundText(text, MAX_STACKS);
}

/** The message on a single line, then the frames. */
function stackOf({ name, message, stack = "" }: Error): string {
  return sanitizeLine(`${name}: ${message}`) + sanitizeBlock(framesOf(message, stack));
}

/** The frames of a stack. The message in front of them may have changed since the stack was captured. */
function framesOf(message: string, stack: string): string {
  const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
  const first = frames.search(/\n {4}at /);
  return first === -1 ? "" : frames.slice(first);
}

/** Levels of nested objects and lists: deeper nesting could overflow JSON.stringify's stack. */
const MAX_DEPTH = 32;

function isNestedWithin(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isNestedWithin(part, depth - 1));
}

/** A text of at most `max` UTF-16 code units, `…` not counted. */
export function boundText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, "")}…`;
}
