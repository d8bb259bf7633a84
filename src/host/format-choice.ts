import { type Environment, readVariable } from "../config/environment.js";
import type { FormatChoice } from "../output/output.js";

/** `-o`, else CALCTL_OUTPUT, else nothing. */
export function chooseFormat(flag: string | undefined, env: Environment): FormatChoice | null {
  if (flag !== undefined) return { name: flag, source: "flag", label: "--output" };
  const name = readVariable(env, "CALCTL_OUTPUT");
  return name === undefined ? null : { name, source: "environment", label: "CALCTL_OUTPUT" };
}
