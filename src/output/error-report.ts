import type { CliError } from "../errors.js";
import { boundText, boundValue } from "./bounded-value.js";
import { describeDetails } from "./error-details.js";
import { escapeJson, sanitizeLine } from "./sanitize.js";
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
