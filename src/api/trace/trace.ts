import { errorCodeOf } from "../../errors.js";
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from "../transport.js";
import { maskBody, maskHeader, maskUrls } from "./named-secrets.js";

export interface TraceOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes lines that belong together. They are not yet harmless for a terminal. */
  readonly write: (lines: readonly string[]) => void;
  /** How lines name where a request goes. */
  readonly nameUrl: (url: string) => string;
  /** Masks the secrets that are known by value. */
  readonly mask: MaskValues;
  /** Whether headers and bodies are shown, too. */
  readonly details: boolean;
}

/**
 * Writes one line an attempt: method, URL, status or failure, milliseconds. With `details` the request comes before
 * it and the answer behind it, headers and bodies included. Secrets are masked.
 */
export function withTrace(transport: Transport, options: TraceOptions): Transport {
  const { now, write, nameUrl, mask, details } = options;
  return async (request) => {
    const started = now();
    const title = `${request.method} ${maskUrls(mask(nameUrl(request.url)))}`;
    const line = (outcome: string) => `${title} ${outcome} ${now() - started} ms`;
    if (details) write(requestLines(title, request, mask));
    try {
      const response = await transport(request);
      write([line(String(response.status)), ...(details ? responseLines(response, mask) : [])]);
      return response;
    } catch (error) {
      const known = error instanceof TransportError ? error : null;
      const told = details && known !== null ? [`* ${known.message} (sent: ${known.sent})`] : [];
      write([line(known?.reason ?? nameOf(error)), ...told]);
      throw error;
    }
  };
}

/** What ended an attempt that the network did not: `interrupted`, `configuration`, or the kind of a bug. */
function nameOf(error: unknown): string {
  return errorCodeOf(error) ?? (error instanceof Error ? error.name : "failed");
}

/** Most of a body that is shown, in UTF-16 code units. */
const SHOWN_MAX = 4096;

/** Most of a body that is looked at: a secret that begins where nothing more is shown must be seen whole. */
const LOOKED_AT_MAX = 256 * 1024;

/** Masks the secrets that are known by value. */
export type MaskValues = (text: string) => string;

/**
 * What is sent, line by line: `> GET` and where to, headers, an empty line, the body. Secrets are masked by name and
 * value.
 */
export function requestLines(title: string, request: HttpRequest, mask: MaskValues): readonly string[] {
  const body = new TextEncoder().encode(request.body ?? "");
  return prefixed("> ", [title, ...headerLines(request.headers, mask), ...bodyLines(body, mask)]);
}

/** What came back, line by line: `< 200`, headers, an empty line, the body. */
export function responseLines(response: HttpResponse, mask: MaskValues): readonly string[] {
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
  const text = decode(body.subarray(0, LOOKED_AT_MAX));
  if (text === null) return ["", `(${count(body.length)}, no text)`];
  const masked = maskBody(mask(text));
  const shown = masked.slice(0, SHOWN_MAX).replace(/[\ud800-\udbff]$/, "");
  const rest = byteLength(masked.slice(shown.length)) + Math.max(body.length - LOOKED_AT_MAX, 0);
  const lines = ["", ...shown.split(/\r\n|\n/)];
  return rest === 0 ? lines : [...lines, `… ${rest} more bytes`];
}

/** Null for what is not UTF-8 or holds NUL. A character that is cut at the end is left out. */
function decode(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    // Not text: it is told by its size.
    return null;
  }
}

function count(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
