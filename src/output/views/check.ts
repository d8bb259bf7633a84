import { sanitizeLine } from "../sanitize.js";
import type { Canvas, Rendering, View } from "../view.js";

/** One line of the report of `doctor`. */
export interface Check {
  /** What was checked; `crontab` for the lines to copy into one. */
  readonly check: string;
  readonly ok: boolean;
  /** What was found, or what is wrong; a line of a crontab. */
  readonly detail: string;
  /** What to do; null when there is nothing to do. */
  readonly hint: string | null;
}

const CRONTAB = "crontab";

export const checkView: View<Check> = {
  noun: "check",
  shape: "check",
  keys: {
    check: { type: "string", about: "what was checked; crontab for the lines to copy into one" },
    ok: { type: "boolean" },
    detail: { type: "string", about: "what was found, or a line of the crontab" },
    hint: { type: "string?", about: "what to do" },
  },
  tsv: ["check", "ok", "detail", "hint"],
  draw: ({ values, fields }: Rendering<Check>, canvas) =>
    fields === null ? drawChecks(values, canvas) : null,
};

/** A line for each check, with what to do below it, then the lines for the crontab. */
function drawChecks(values: readonly Check[], { style, unicode }: Canvas): string {
  const marks = unicode ? { ok: "✓", failed: "✗" } : { ok: "ok", failed: "!!" };
  const checks = values.filter(({ check }) => check !== CRONTAB);
  const width = Math.max(...checks.map(({ check }) => check.length));
  const lines = checks.flatMap(({ check, ok, detail, hint }) => {
    const mark = ok ? style.green(marks.ok) : style.red(marks.failed);
    const indent = " ".repeat((unicode ? 1 : 2) + width + 3);
    return [
      `${mark} ${check.padEnd(width)}  ${sanitizeLine(detail)}`,
      ...(hint === null ? [] : [style.dim(`${indent}${sanitizeLine(hint)}`)]),
    ];
  });
  const crontab = values.filter(({ check }) => check === CRONTAB).map(({ detail }) => sanitizeLine(detail));
  const heading = crontab.length === 0 ? [] : ["", "For the crontab (crontab -e):"];
  return [...lines, ...heading, ...crontab].map((line) => `${line}\n`).join("");
}
