import type { HandledRequest } from "./request-handler.js";

/** `off` leaves only failures: every 5xx is reported. */
export type LogFormat = "json" | "text" | "off";

const MAX_PATH = 200;

/** The line of a request in the operator's log, in ASCII; null if the format has none for it. */
export function formatLogLine(request: HandledRequest, format: LogFormat): string | null {
  const { id, address, method, status, time, duration, failure } = request;
  if (format === "off" && status < 500) return null;
  const path = request.path
    .slice(0, MAX_PATH)
    .replace(/[^!-~]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(2, "0")}`);
  const error = failure === undefined ? undefined : describeFailure(failure);
  const record = {
    time: new Date(time).toISOString(),
    id,
    address,
    method,
    path,
    status,
    duration_ms: duration,
  };
  if (format === "json") return escapeNonAscii(JSON.stringify({ ...record, error }));
  const line = [record.time, id, address, method, path, status, `${duration} ms`].join(" ");
  return error === undefined ? line : `${line}: ${escapeNonAscii(error)}`;
}

/** Lines that wait for the reader of the log, in UTF-16 code units. */
const MAX_WAITING = 1024 * 1024;

/**
 * Writes the lines of the log in their order, one write at a time; what waits meanwhile becomes the next one. While nobody
 * reads, lines beyond MAX_WAITING are lost; how many is said as soon as there is room again.
 * @param write resolves when the text has been read, never rejects
 */
export function createLogWriter(
  write: (text: string) => Promise<void>,
  format: LogFormat,
): (line: string) => void {
  let lines: string[] = [];
  /** Of the lines, and of those that are being written. */
  let size = 0;
  let lost = 0;
  let isWriting = false;
  const append = (line: string): void => {
    lines.push(`${line}\n`);
    size += line.length + 1;
  };
  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (lines.length > 0) {
      const text = lines.join("");
      lines = [];
      await write(text);
      size -= text.length;
    }
    isWriting = false;
  };
  return (line) => {
    if (size > MAX_WAITING) {
      lost += 1;
      return;
    }
    if (lost > 0) append(formatLost(lost, format));
    lost = 0;
    append(line);
    if (!isWriting) void writeAll();
  };
}

function formatLost(lines: number, format: LogFormat): string {
  if (format === "json") return JSON.stringify({ lost_lines: lines });
  return `${lines} lines of the log were lost, because nobody read it`;
}

/** Messages of our own and of the database name no tokens and no bodies. */
function describeFailure(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

function escapeNonAscii(text: string): string {
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
