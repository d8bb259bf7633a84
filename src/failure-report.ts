import type { CliError } from "./errors.js";
import type { Host } from "./host.js";
import { renderError } from "./output/error-report.js";
import { effectiveFormat } from "./output/output.js";
import { sanitizeBlock } from "./output/sanitize.js";
import { createStyle, wantsColor } from "./output/style.js";

/**
 * The text of a failed run for stderr. The command line may be what is wrong, so the flags that shape the text
 * are looked for in it word by word.
 */
export async function describeFailure(error: CliError, argv: readonly string[], host: Host): Promise<string> {
  const { env, stdout, stderr } = host;
  const format = effectiveFormat({ format: formatOf(argv, env["CALCTL_OUTPUT"]) }, stdout);
  const flag = flagValue(argv, ["--color"]);
  const color = wantsColor({
    flag: flag === "always" || flag === "never" ? flag : undefined,
    env,
    isTerminal: stderr.isTerminal,
  });
  const text = renderError(error, {
    json: format === "json" || format === "ndjson",
    color,
    style: await createStyle(color),
  });
  return debugging(argv, env["CALCTL_DEBUG"]) ? `${traces(error)}${text}` : text;
}

function formatOf(argv: readonly string[], variable: string | undefined) {
  const flag = flagValue(argv, ["-o", "--output"]);
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

function debugging(argv: readonly string[], variable: string | undefined): boolean {
  return beforeDashes(argv).includes("--debug") || !["", "0", undefined].includes(variable);
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end === -1 ? argv : argv.slice(0, end);
}

/** The stacks of an error and of what caused it. */
function traces(error: Error): string {
  const stacks: string[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    stacks.push(sanitizeBlock(cause.stack ?? cause.message));
  }
  return `${stacks.join("\ncaused by: ")}\n`;
}
