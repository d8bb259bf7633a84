import { checkId } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import { usageError } from "../../errors.js";

/** The argument that stands for ids on stdin. */
export const STDIN_IDS = "-";

/** The ids as given; a `-` is replaced by the lines of stdin, without blank ones. @throws CliError usage */
export async function readEventIds(
  { input }: Pick<Context, "input">,
  typed: readonly string[],
): Promise<readonly string[]> {
  const position = typed.indexOf(STDIN_IDS);
  if (position !== typed.lastIndexOf(STDIN_IDS)) {
    throw usageError("- was given twice", "stdin can be read only once");
  }
  for (const id of typed) checkId(id, "ID");
  if (position === -1) return typed;
  const lines = (await input.text("-", "-")).split("\n").map((line) => line.trim());
  const ids = lines.filter((line) => line !== "").map((line) => checkId(line, "ID on stdin"));
  return typed.toSpliced(position, 1, ...ids);
}
