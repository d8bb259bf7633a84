import { describeJsonError } from "../../contract/json.js";
import { ConfigSyntaxError } from "../config/config.js";
import { type GlobalFlags, readReportSettings } from "../config/run-settings.js";
import { type CliError, configurationError } from "../errors.js";
import { type ErrorReportOptions, renderError, stackTrace } from "../output/error-report.js";
import { effectiveFormat } from "../output/output.js";
import { createStyle, isColorEnabled } from "../output/style.js";
import { widthOf } from "../output/view.js";
import type { Host } from "../run/run.js";

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
  const color = isColorEnabled({ choice: settings.color, env, isTerminal: stderr.isTerminal });
  const json = format === "json" || format === "ndjson";
  const text = renderError(error, {
    json,
    style: await createStyle({ color }),
    ...(stderr.isTerminal && !json && { wrap: await loadWrap(widthOf(stderr)) }),
  });
  return settings.debug ? `${stackTrace(error)}\n${text}` : text;
}

async function withPosition({ message, hint, text, cause }: ConfigSyntaxError): Promise<CliError> {
  return configurationError(`${message}: ${await describeJsonError(text)}`, { hint, cause });
}

/** Loaded only for terminals: the tables of character widths take 8 ms. */
async function loadWrap(width: number): Promise<NonNullable<ErrorReportOptions["wrap"]>> {
  const { wrapMessage } = await import("../output/table/text-width.js");
  return (text, margin) => wrapMessage(text, width - margin);
}
