import type { HttpRequest, HttpResponse } from "../transport/transport.js";
import { maskBody, maskHeader } from "./named-secrets.js";

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
