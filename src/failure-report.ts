import { isDebugging } from "./config/environment.js";
import type { GlobalFlags } from "./context.js";
import type { CliError } from "./errors.js";
import type { Host } from "./host.js";
import { renderError } from "./output/error-report.js";
import { effectiveFormat } from "./output/output.js";
import { stackTrace } from "./output/stack-trace.js";
import { createStyle, wantsColor } from "./output/style.js";

export interface FailedRun {
  readonly argv: readonly string[];
  readonly host: Pick<Host, "env" | "stdout" | "stderr">;
  /** Undefined when the command line could not be parsed. */
  readonly flags: GlobalFlags | undefined;
}

/** The text of a failed run for stderr. */
export async function describeFailure(error: CliError, run: FailedRun): Promise<string> {
  const { env, stdout, stderr } = run.host;
  const { output, color: colorFlag, debug = false } = run.flags ?? guessFlags(run.argv);
  const format = effectiveFormat({ format: formatOf(output, env["CALCTL_OUTPUT"]) }, stdout);
  const color = wantsColor({
    flag: colorFlag === "always" || colorFlag === "never" ? colorFlag : undefined,
    env,
    isTerminal: stderr.isTerminal,
  });
  const text = renderError(error, {
    json: format === "json" || format === "ndjson",
    color,
    style: await createStyle(color),
  });
  return isDebugging({ debug }, env) ? `${stackTrace(error)}\n${text}` : text;
}

type ShapingFlags = Pick<GlobalFlags, "output" | "color" | "debug">;

/** The command line may be what is wrong: then the flags that shape the text are looked for word by word. */
function guessFlags(argv: readonly string[]): ShapingFlags {
  return {
    output: flagValue(argv, ["-o", "--output"]),
    color: flagValue(argv, ["--color"]),
    debug: beforeDashes(argv).includes("--debug"),
  };
}

function formatOf(flag: string | undefined, variable: string | undefined) {
  if (flag !== undefined) return { name: flag, source: "flag", label: "--output" } as const;
  if (variable === undefined) return null;
  return { name: variable, source: "environment", label: "CALCTL_OUTPUT" } as const;
}

/** The last value of a flag before `--`, attached or separate. */
function flagValue(argv: readonly string[], names: readonly string[]): string | undefined {
  let value: string | undefined;
  for (const [index, word] of beforeDashes(argv).entries()) {
    for (const name of names) {
      if (word === name) value = argv[index + 1];
      else if (word.startsWith(`${name}=`)) value = word.slice(name.length + 1);
      else if (!name.startsWith("--") && !word.startsWith("--") && word.startsWith(name)) {
        value = word.slice(name.length);
      }
    }
  }
  return value;
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end === -1 ? argv : argv.slice(0, end);
}
