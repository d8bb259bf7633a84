import { CliError } from "../../errors.js";
import { sanitizeBlock, sanitizeLine } from "../../output/sanitize.js";
import type { Document } from "../../output/view.js";

/** A response of the service as it is. */
export interface PrintedResponse {
  readonly status: number;
  /** Without secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether status and headers are printed, too. */
  readonly include: boolean;
}

/**
 * The body byte for byte; made harmless on a terminal. Before it, if asked for, `HTTP STATUS`, the headers and an empty
 * line.
 */
export const RESPONSE_DOCUMENT: Document<PrintedResponse> = {
  render({ status, headers, body, include }, { isTerminal }) {
    const lines = [
      `HTTP ${status}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "",
    ];
    const head = include ? lines.map((line) => `${isTerminal ? sanitizeLine(line) : line}\n`).join("") : "";
    if (!isTerminal) return Buffer.concat([Buffer.from(head), body]);
    const text = sanitizeBlock(new TextDecoder().decode(body));
    return `${head}${text}${text === "" || text.endsWith("\n") ? "" : "\n"}`;
  },
  json({ status, body }) {
    // jq programs are written for successes.
    if (status >= 400 || body.length === 0) return undefined;
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    } catch (cause) {
      const hint = "omit --jq to see it";
      throw new CliError("rejected", "--jq: the response is not JSON", { hint, cause });
    }
  },
};
