import { isTimeZone } from "../contract/date-time.js";
import { usageError } from "../errors.js";
import type { FormatChoice } from "../output/output.js";
import type { ColorChoice } from "../output/style.js";
import { type Environment, isDebugging, isSwitchedOn, readVariable, type Variable } from "./environment.js";
import { emptyFlag, pickSetting, type Setting, settingError } from "./setting.js";

/** Global flags as they were typed; undefined where they were not. */
export interface GlobalFlags {
  readonly profile?: string | undefined;
  /** Every `--calendar`, in order. */
  readonly calendar?: readonly string[] | undefined;
  readonly output?: string | undefined;
  readonly fields?: string | undefined;
  readonly timezone?: string | undefined;
  /** False for `--no-input`. */
  readonly prompts?: boolean | undefined;
  readonly color?: ColorChoice | undefined;
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly debug?: boolean | undefined;
  readonly timeout?: string | undefined;
  readonly retries?: string | undefined;
  readonly maxWait?: string | undefined;
}

/** What global flags and environment say about one run, parsed once. */
export interface RunSettings extends ReportSettings {
  /** Undefined when `--profile` was not given. */
  readonly profile: string | undefined;
  /** Every `--calendar`, in order. */
  readonly calendars: readonly string[];
  /** `--fields` as typed: each view knows its own. */
  readonly fields: string | undefined;
  /** The zone of `--timezone` or CALCTL_TIMEZONE; undefined when neither is set. */
  readonly timezone: string | undefined;
  /** False when asking is forbidden. */
  readonly prompts: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Longest time of one attempt in milliseconds. */
  readonly timeout: number;
  /** Further attempts where repeating is safe. */
  readonly retries: number;
  /** Longest total wait for a rate limit in milliseconds. */
  readonly maxWait: number;
}

/** The settings that an error report needs. Reading them never fails. */
export interface ReportSettings {
  /** Null when nobody asked for a format. */
  readonly format: FormatChoice | null;
  readonly color: ColorChoice;
  /** Whether `--debug` or CALCTL_DEBUG is on. */
  readonly debug: boolean;
}

/** Reads flags and environment: a flag wins over its variable. @throws CliError usage, configuration */
export function readRunSettings(flags: GlobalFlags, env: Environment): RunSettings {
  for (const name of ["CALCTL_TOKEN", "CALCTL_TOKEN_FILE", "CALCTL_BASE_URL", "CALCTL_PROFILE"] as const) {
    readVariable(env, name);
  }
  if (flags.profile === "") throw emptyFlag("--profile");
  return {
    ...readReportSettings(flags, env),
    profile: flags.profile,
    calendars: flags.calendar ?? [],
    fields: flags.fields,
    timezone: readTimeZone(flags, env),
    prompts: flags.prompts !== false && !isSwitchedOn(env["CALCTL_NO_INPUT"]) && !isSwitchedOn(env["CI"]),
    quiet: flags.quiet === true,
    verbose: flags.verbose === true,
    timeout: Math.ceil(readLimit(TIMEOUT, flags.timeout, env) * 1000),
    retries: readLimit(RETRIES, flags.retries, env),
    maxWait: Math.ceil(readLimit(MAX_WAIT, flags.maxWait, env) * 1000),
  };
}

/** Reads what shapes an error report, whether the other settings are right or not. */
export function readReportSettings(
  flags: Pick<GlobalFlags, "output" | "color" | "debug">,
  env: Environment,
): ReportSettings {
  return {
    format: readFormat(flags.output, env),
    color: flags.color ?? "auto",
    debug: isDebugging(flags, env),
  };
}

function readFormat(flag: string | undefined, env: Environment): FormatChoice | null {
  if (flag !== undefined) return { name: flag, source: "flag", label: "--output" };
  const name = readVariable(env, "CALCTL_OUTPUT");
  return name === undefined ? null : { name, source: "environment", label: "CALCTL_OUTPUT" };
}

function readTimeZone(flags: GlobalFlags, env: Environment): string | undefined {
  const setting = pickSetting(
    { name: "--timezone", value: flags.timezone },
    { name: "CALCTL_TIMEZONE", value: readVariable(env, "CALCTL_TIMEZONE") },
  );
  return setting && checkTimeZone(setting);
}

/** The value of a setting that must be an IANA zone. @throws CliError */
export function checkTimeZone(setting: Setting): string {
  if (isTimeZone(setting.value)) return setting.value;
  throw settingError(setting, `there is no zone "${setting.value}"`, "write a name such as Asia/Tokyo");
}

/** A limit that a flag or a variable sets. */
interface Limit {
  readonly flag: string;
  readonly variable: Variable;
  readonly default: number;
  readonly allowed: RegExp;
  readonly min: number;
  readonly max: number;
  /** What the value must be, as messages say it. */
  readonly expected: string;
}

const DAY_SECONDS = 86_400;
const SECONDS = /^\d{1,5}(?:\.\d{1,3})?$/;

/** The limits of one run: seconds, attempts, seconds. `--help` shows the same defaults. */
export const TIMEOUT: Limit = {
  flag: "--timeout",
  variable: "CALCTL_TIMEOUT",
  default: 30,
  allowed: SECONDS,
  min: 0.001,
  max: DAY_SECONDS,
  expected: `number of seconds above 0 and up to ${DAY_SECONDS}`,
};

export const RETRIES: Limit = {
  flag: "--retries",
  variable: "CALCTL_RETRIES",
  default: 3,
  allowed: /^\d{1,3}$/,
  min: 0,
  max: 100,
  expected: "whole number from 0 to 100",
};

export const MAX_WAIT: Limit = {
  flag: "--max-wait",
  variable: "CALCTL_MAX_WAIT",
  default: 60,
  allowed: SECONDS,
  min: 0,
  max: DAY_SECONDS,
  expected: `number of seconds from 0 to ${DAY_SECONDS}`,
};

function readLimit(limit: Limit, typed: string | undefined, env: Environment): number {
  const setting = pickSetting(
    { name: limit.flag, value: typed },
    { name: limit.variable, value: readVariable(env, limit.variable) },
  );
  if (setting === undefined) return limit.default;
  const value = limit.allowed.test(setting.value) ? Number(setting.value) : Number.NaN;
  if (value >= limit.min && value <= limit.max) return value;
  throw usageError(`${setting.source}: "${setting.value}" is not a ${limit.expected}`);
}
