import { createOutput, type OutputTarget } from "../../src/output/output.js";
import type { View } from "../../src/output/view.js";

export interface RenderedOptions {
  readonly format?: string;
  readonly fields?: string;
  readonly csvSafe?: boolean;
  /** Columns of the terminal; undefined for a pipe. */
  readonly columns?: number;
  readonly color?: boolean;
  readonly hyperlinks?: boolean;
  readonly unicode?: boolean;
  readonly note?: (text: string) => void;
}

/** The chosen zone and the clock of tests. */
export const VIEWER = {
  zone: () => "Asia/Tokyo",
  machineZone: () => "Asia/Tokyo",
  now: () => Date.parse("2026-11-21T14:30:00.000Z"),
  note: () => undefined,
};

/** The complete output of a command for a value. */
export async function rendered<T>(
  view: View<T>,
  value: NoInfer<T> | readonly NoInfer<T>[],
  {
    format,
    fields,
    csvSafe = false,
    columns,
    color = false,
    hyperlinks = false,
    unicode = true,
    note = VIEWER.note,
  }: RenderedOptions = {},
): Promise<string> {
  let written = "";
  const target: OutputTarget = {
    isTerminal: columns !== undefined,
    isClosed: false,
    columns,
    color,
    hyperlinks: async () => hyperlinks,
    unicode,
    write: async (text) => {
      written += text;
    },
  };
  const choice = format === undefined ? null : ({ name: format, source: "flag", label: "--output" } as const);
  await createOutput(view, { format: choice, fields, csvSafe, program: null, ...VIEWER, note }, target).print(
    value,
  );
  return written;
}

/** Shows control and invisible characters as `<1b>`, so that golden files can be read. */
export function visible(text: string): string {
  return text.replace(/[^\P{Cc}\n]|\p{Bidi_Control}/gu, (found) => `<${found.codePointAt(0)?.toString(16)}>`);
}
