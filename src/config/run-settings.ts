import { isTimeZone } from "../../contract/date-time.js";
import { emptyValueError, usageError } from "../errors.js";
import type { FormatChoice } from "../output/output.js";
import type { ColorChoice } from "../output/style.js";
import { type Environment, isOn, readVariable, type Variable } from "./environment.js";
import { pickSetting, type Setting, settingError } from "./setting.js";

/** Global flags as typed; undefined when not given. */
export interface GlobalFlags {
  readonly profile?: string | undefined;
  /** Every `--calendar`, in order. */
  readonly calendar?: readonly string[] | undefined;
  readonly output?: string | undefined;
  /** True without a value. */
  readonly fields?: string | true | undefined;
  readonly csvSafe?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly jq?: string | undefined;
  readonly template?: string | undefined;
  readonly timezone?: string | undefined;
  readonly refresh?: boolean | undefined;
  /** False for `--no-input`. */
  readonly prompts?: boolean | undefined;
  readonly color?: ColorChoice | undefined;
  readonly quiet?: boolean | undefined;
  /** Set by the command, not typed: whether a scheduler runs it. */
  readonly isJob?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly debug?: boolean | undefined;
  readonly timeout?: string | undefined;
  readonly retries?: string | undefined;
  readonly maxWait?: string | undefined;
}

/** The settings of one run from global flags and environment, parsed once. */
export interface RunSettings extends ReportSettings {
  /** Undefined when `--profile` was not given. */
  readonly profile: string | undefined;
  /** Every `--calendar`, in order. */
  readonly calendars: readonly string[];
  /** `--fields` as typed, true without a value: each view knows its own. */
  readonly fields: string | true | undefined;
  readonly csvSafe: boolean;
  /** `--jq` or `--template`; null for neither. */
  readonly program: ProgramChoice | null;
  /** The zone of `--timezone` or CALCTL_TIMEZONE; undefined when neither is set. */
  readonly timezone: string | undefined;
  /** Whether writes are printed instead of sent. */
  readonly dryRun: boolean;
  /** Whether names are read anew, not taken from the cache. */
  readonly refresh: boolean;
  /** False when the program must not ask. */
  readonly prompts: boolean;
  readonly quiet: boolean;
  /** Whether the command is one that a scheduler runs. */
  readonly isJob: boolean;
  readonly verbose: boolean;
  /** For one attempt, in milliseconds. */
  readonly timeout: number;
  /** Attempts after the first one, where repeating is safe. */
  readonly retries: number;
  /** Total wait for a rate limit, in milliseconds. */
  readonly maxWait: number;
}

/** The settings that an error report needs. Reading them never fails. */
export interface ReportSettings {
  /** Null for the default. */
  readonly format: FormatChoice | null;
  readonly color: ColorChoice;
  /** Whether `--debug` or CALCTL_DEBUG is on. */
  readonly debug: boolean;
}

/** Reads flags and environment: a flag wins over its variable. @throws CliError usage */
export function readRunSettings(flags: GlobalFlags, env: Environment): RunSettings {
  if (flags.profile === "") throw emptyValueError("--profile");
  return {
    ...readReportSettings(flags, env),
    profile: flags.profile,
    calendars: flags.calendar ?? [],
    fields: flags.fields,
    csvSafe: flags.csvSafe === true,
    program: readProgram(flags),
    timezone: readTimeZone(flags, env),
    dryRun: flags.dryRun === true,
    refresh: flags.refresh === true,
    prompts: flags.prompts !== false && !isOn(env["CALCTL_NO_INPUT"]) && !isOn(env["CI"]),
    quiet: flags.quiet === true,
    isJob: flags.isJob === true,
    verbose: flags.verbose === true,
    timeout: Math.ceil(readNumber(TIMEOUT, flags.timeout, env) * 1000),
    retries: readNumber(RETRIES, flags.retries, env),
    maxWait: Math.ceil(readNumber(MAX_WAIT, flags.maxWait, env) * 1000),
  };
}

/** Reads the settings of an error report, even when others are wrong. */
export function readReportSettings(
  flags: Pick<GlobalFlags, "output" | "color" | "debug">,
  env: Environment,
): ReportSettings {
  return {
    format: readFormat(flags.output, env),
    color: flags.color ?? "auto",
    debug: flags.debug === true || isOn(env["CALCTL_DEBUG"]),
  };
}

/** A program that makes the output. */
export interface ProgramChoice {
  readonly kind: "jq" | "template";
  /** As typed; of a template `@FILE`, too. */
  readonly text: string;
}

/** @throws CliError usage for flags that contradict each other */
function readProgram({ jq, template, fields, output, csvSafe }: GlobalFlags): ProgramChoice | null {
  const [kind, text] = jq === undefined ? (["template", template] as const) : (["jq", jq] as const);
  if (text === undefined) return null;
  if (text === "") throw emptyValueError(`--${kind}`);
  const isOtherFormat = output !== undefined && (kind === "template" || output !== "json");
  const others = {
    template: kind === "jq" && template !== undefined,
    fields: fields !== undefined,
    "csv-safe": csvSafe === true,
    [`output ${output}`]: isOtherFormat,
  };
  const [other] = Object.entries(others).find(([, isGiven]) => isGiven) ?? [];
  if (other !== undefined) throw usageError(`--${kind} and --${other} contradict each other`);
  return { kind, text };
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

/** Checks that a setting is an IANA time zone. @throws CliError */
export function checkTimeZone(setting: Setting): string {
  if (isTimeZone(setting.value)) return setting.value;
  throw settingError(setting, `"${setting.value}" is not a time zone`, "write a name such as Asia/Tokyo");
}

/** A number that a flag or a variable sets. */
interface NumberRule {
  readonly flag: string;
  readonly variable: Variable;
  readonly default: number;
  readonly allowed: RegExp;
  readonly min: number;
  readonly max: number;
  /** What the value must be, for messages. */
  readonly expected: string;
}

/** One day. */
const MAX_SECONDS = 86_400;
const SECONDS = /^\d{1,5}(?:\.\d{1,3})?$/;

export const TIMEOUT: NumberRule = {
  flag: "--timeout",
  variable: "CALCTL_TIMEOUT",
  default: 30,
  allowed: SECONDS,
  min: 0.001,
  max: MAX_SECONDS,
  expected: `number of seconds above 0 and up to ${MAX_SECONDS}`,
};

export const RETRIES: NumberRule = {
  flag: "--retries",
  variable: "CALCTL_RETRIES",
  default: 3,
  allowed: /^\d{1,3}$/,
  min: 0,
  max: 100,
  expected: "whole number from 0 to 100",
};

export const MAX_WAIT: NumberRule = {
  flag: "--max-wait",
  variable: "CALCTL_MAX_WAIT",
  default: 60,
  allowed: SECONDS,
  min: 0,
  max: MAX_SECONDS,
  expected: `number of seconds from 0 to ${MAX_SECONDS}`,
};

function readNumber(rule: NumberRule, flag: string | undefined, env: Environment): number {
  const setting = pickSetting(
    { name: rule.flag, value: flag },
    { name: rule.variable, value: readVariable(env, rule.variable) },
  );
  if (setting === undefined) return rule.default;
  const value = rule.allowed.test(setting.value) ? Number(setting.value) : Number.NaN;
  if (value >= rule.min && value <= rule.max) return value;
  throw usageError(`${setting.source}: "${setting.value}" is not a ${rule.expected}`);
}
