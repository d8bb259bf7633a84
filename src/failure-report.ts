import { ConfigSyntaxError } from "./config/config-file.js";
import { type GlobalFlags, readReportSettings } from "./config/run-settings.js";
import { describeJsonError } from "./contract/json.js";
import { type CliError, configurationError } from "./errors.js";
import type { Host } from "./host/parts.js";
import { renderError, stackTrace } from "./output/error-report.js";
import { effectiveFormat } from "./output/output.js";
import { createStyle, wantsColor } from "./output/style.js";
import { widthOf } from "./output/view.js";

export interface FailedRun {
  readonly host: Pick<Host, "env" | "stdout" | "stderr">;
  /** Those that were parsed before the error. */
  readonly flags: GlobalFlags;
}

/** The error report of a run, for stderr. */
export async function describeFailure(failure: CliError, { host, flags }: FailedRun): Promise<string> {
  const { env, stdout, stderr } = host;
  const error = failure instanceof ConfigSyntaxError ? await withPosition(failure) : failure;
  const settings = readReportSettings(flags, env);
  const format = effectiveFormat(settings, stdout);
  const color = wantsColor({ choice: settings.color, env, isTerminal: stderr.isTerminal });
  const text = renderError(error, {
    json: format === "json" || format === "ndjson",
    style: await createStyle(color),
    width: widthOf(stderr),
  });
  return settings.debug ? `${stackTrace(error)}\n${text}` : text;
}

async function withPosition({ message, hint, text, cause }: ConfigSyntaxError): Promise<CliError> {
  return configurationError(`${message}: ${await describeJsonError(text)}`, { hint, cause });
}
