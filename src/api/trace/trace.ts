import { errorCodeOf } from "../../errors.js";
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from "../transport.js";

/** Masks the secrets whose values are known. */
type MaskValues = (text: string) => string;

export interface TraceOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Takes lines that belong together. They may contain control characters. */
  readonly write: (lines: readonly string[]) => void;
  /** How lines name a URL. */
  readonly nameUrl: (url: string) => string;
  readonly mask: MaskValues;
  /** Whether to show headers and bodies as well. */
  readonly details: boolean;
  /** Whether each line begins with the time: for logs. */
  readonly timed?: boolean;
}

/**
 * Writes one line per attempt: method, URL, status or failure, milliseconds. With `details`, the request comes before
 * it and the response after it, with headers and bodies. Secrets are masked.
 */
export function withTrace(transport: Transport, options: TraceOptions): Transport {
  const { now, write, nameUrl, mask, details, timed } = options;
  const begin = (time: number) => (timed === true ? `${new Date(time).toISOString()} ` : "");
  return async (request) => {
    const startedAt = now();
    const title = `${request.method} ${maskUrls(mask(nameUrl(request.url)))}`;
    const summary = (result: string) => `${begin(startedAt)}${title} ${result} ${now() - startedAt} ms`;
    if (details) write(requestLines(title, request, mask));
    try {
      const response = await transport(request);
      write([summary(String(response.status)), ...(details ? responseLines(response, mask) : [])]);
      return response;
    } catch (error) {
      const failure = error instanceof TransportError ? error : null;
      const explanation = details && failure !== null ? [`* ${failure.message} (sent: ${failure.sent})`] : [];
      write([summary(failure?.reason ?? nameOf(error)), ...explanation]);
      throw error;
    }
  };
}

/** Names an error that is not from the network: `interrupted`, `configuration`, or the class of a bug. */
function nameOf(error: unknown): string {
  return errorCodeOf(error) ?? (error instanceof Error ? error.name : "failed");
}

/** How much of a body is shown, in UTF-16 code units. */
const MAX_SHOWN = 4096;

/** How much of a body is masked, in bytes: more than is shown, so that a secret at its end is recognized. */
const MAX_MASKED = 256 * 1024;

/** `> GET` and the URL, headers, an empty line, the body. */
function requestLines(title: string, request: HttpRequest, mask: MaskValues): readonly string[] {
  const body = bodyLines(Buffer.from(request.body ?? ""), mask);
  return prefixed("> ", [title, ...headerLines(request.headers, mask), ...body]);
}

/** `< 200`, headers, an empty line, the body. */
function responseLines(response: HttpResponse, mask: MaskValues): readonly string[] {
  return prefixed("< ", [
    String(response.status),
    ...headerLines(response.headers, mask),
    ...bodyLines(response.body, mask),
  ]);
}

function prefixed(prefix: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${prefix}${line}`.trimEnd());
}

function headerLines(headers: Readonly<Record<string, string>>, mask: MaskValues): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${maskHeader(name, mask(value))}`);
}

function bodyLines(body: Uint8Array, mask: MaskValues): readonly string[] {
  if (body.length === 0) return [];
  const text = decode(body.subarray(0, MAX_MASKED));
  if (text === null) return ["", `(${formatBytes(body.length)}, not text)`];
  const masked = maskBody(mask(text));
  const shown = masked.slice(0, MAX_SHOWN).replace(/[\ud800-\udbff]$/, "");
  const rest = Buffer.byteLength(masked.slice(shown.length)) + Math.max(body.length - MAX_MASKED, 0);
  const lines = ["", ...shown.split(/\r\n|\n/)];
  return rest === 0 ? lines : [...lines, `… ${rest} more bytes`];
}

/** Null if the bytes are not UTF-8 or contain NUL. Drops an incomplete character at the end. */
function decode(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    // Not text: only its size is shown.
    return null;
  }
}

function formatBytes(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

/** Masks secrets by their names: headers, JSON members, parameters of forms and URLs. The redactor masks by value. */

const MASK = "***";

const SECRET_NAMES =
  /^(?:code|state|device_code|user_code|pwd|pass|sid|session|session_id|signature|id_token_hint|login_hint)$/;

/** Ends of names such as `access_token`, `clientSecret`, `x-api-key`, `set-cookie`; not `token_type`. */
const SECRET_ENDINGS =
  /(?:token|secret|password|passwd|passphrase|assertion|api[-_]?key|verifier|credentials?|cookie|authorization)$/;

/** Whether a header, member or parameter with this name holds a secret. */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  return SECRET_NAMES.test(lower) || SECRET_ENDINGS.test(lower);
}

/** The value of a header without secrets, including those of URLs in it, as in `Location`. */
export function maskHeader(name: string, value: string): string {
  return isSecretName(name) ? MASK : maskUrls(value);
}

/** A body without secrets: JSON, a form or a page, complete or only its beginning. */
export function maskBody(text: string): string {
  return maskUrls(maskJson(text));
}

/** `"name": value`. Objects and lists are not matched as values, only the members in them. */
const MEMBER = /"([\w.-]{1,64})"(\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s"{}[\],]+)/gs;

/** `name=value` at the beginning or after a separator, also in a page. */
const PARAMETER = /(^|[?&#;])([\w%.+-]{1,64})=([^&#;\s"'<>]+)/g;

/** `//name:password@` and `//token@`, with slashes escaped, as in some JSON, or not. */
const USER_INFO = /(:(?:\\?\/){2})[^/?#\s@"'<>\\]+@/g;

function maskJson(text: string): string {
  return text.replace(MEMBER, (member: string, name: string, colon: string, value: string) =>
    isSecretName(name) && value !== "null" ? `"${name}"${colon}"${MASK}"` : member,
  );
}

/** Masks the secrets of URLs and forms in a text. @see RFC 3986 §3.2.1, §3.4 */
function maskUrls(text: string): string {
  return text
    .replace(USER_INFO, `$1${MASK}@`)
    .replace(PARAMETER, (parameter: string, before: string, name: string) =>
      isSecretName(decodeName(name)) ? `${before}${name}=${MASK}` : parameter,
    );
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
