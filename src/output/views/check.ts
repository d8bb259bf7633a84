import { MIN_TEXT_WIDTH } from "../formats/table.js";
import { sanitizeLine } from "../sanitize.js";
import { wrapText } from "../table/text-width.js";
import type { DrawOptions, Rendering, View } from "../view.js";

/** One line of the report of `doctor`. */
export interface Check {
  /** What was checked; `crontab` or `task scheduler` for the lines to copy. */
  readonly check: string;
  readonly ok: boolean;
  /** What was found, or what is wrong; a line to copy. */
  readonly detail: string;
  /** What to do; null when there is nothing to do. */
  readonly hint: string | null;
}

/** What the lines to copy are for. */
const HEADINGS: Readonly<Record<string, string>> = {
  crontab: "For the crontab (crontab -e):",
  "task scheduler": "For the task scheduler (at the command prompt):",
};

export const checkView: View<Check> = {
  noun: "check",
  shape: "check",
  keys: {
    check: {
      type: "string",
      about: "what was checked; crontab, or on Windows task scheduler, for the lines to copy",
    },
    ok: { type: "boolean" },
    detail: { type: "string", about: "what was found, or a line to copy" },
    hint: { type: "string?", about: "what to do" },
  },
  tsv: ["check", "ok", "detail", "hint"],
  draw: ({ values, fields }: Rendering<Check>, drawing) =>
    fields === null ? drawChecks(values, drawing) : null,
};

/** A line for each check, with what to do below it, then the lines to copy. */
function drawChecks(values: readonly Check[], { style, unicode, width: columns }: DrawOptions): string {
  const marks = unicode ? { ok: "✓", failed: "✗" } : { ok: "ok", failed: "!!" };
  const checks = values.filter(({ check }) => HEADINGS[check] === undefined);
  const width = Math.max(...checks.map(({ check }) => check.length));
  const lines = checks.flatMap(({ check, ok, detail, hint }) => {
    const mark = ok ? style.green(marks.ok) : style.red(marks.failed);
    const indent = " ".repeat((unicode ? 1 : 2) + width + 3);
    const room = Math.max(columns - indent.length, MIN_TEXT_WIDTH);
    // Paths and commands stay whole, so that they can be copied.
    const wrap = (text: string) => wrapText(sanitizeLine(text), { width: room, breakWords: false });
    const [found = "", ...more] = wrap(detail);
    return [
      `${mark} ${check.padEnd(width)}  ${found}`,
      ...more.map((line) => indent + line),
      ...wrap(hint ?? "").flatMap((line) => (line === "" ? [] : [style.dim(indent + line)])),
    ];
  });
  const schedule = values.filter(({ check }) => HEADINGS[check] !== undefined);
  const heading = schedule.slice(0, 1).flatMap(({ check }) => ["", HEADINGS[check] ?? ""]);
  return [...lines, ...heading, ...schedule.map(({ detail }) => sanitizeLine(detail))]
    .map((line) => `${line}\n`)
    .join("");
}
