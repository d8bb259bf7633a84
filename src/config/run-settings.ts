import { readTimeZoneName, timeZoneHint } from "../../contract/time-zone-names.js";
import { emptyValueError, usageError } from "../errors.js";
import type { FormatChoice } from "../output/output.js";
import type { ColorChoice } from "../output/style.js";
import {
  type Environment,
  isOn,
  pickSetting,
  readVariable,
  type Setting,
  settingError,
  type Variable,
} from "./environment.js";

/** Switches as typed; undefined when not given. */
interface Switches {
  readonly csvSafe?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly refresh?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  /** Set by the command, not typed: whether a scheduler runs it. */
  readonly isJob?: boolean | undefined;
}

/** Global flags as typed; undefined when not given. */
export interface GlobalFlags extends Switches {
  /** Not typed: the path of the command, `events delete`. */
  readonly command?: string | undefined;
  readonly profile?: string | undefined;
  /** Every `--calendar`, in order. */
  readonly calendar?: readonly string[] | undefined;
  readonly output?: string | undefined;
  /** True without a value. */
  readonly fields?: string | true | undefined;
  readonly jq?: string | undefined;
  readonly template?: string | undefined;
  readonly timezone?: string | undefined;
  /** False for `--no-input`. */
  readonly prompts?: boolean | undefined;
  readonly color?: ColorChoice | undefined;
  readonly debug?: boolean | undefined;
  readonly timeout?: string | undefined;
  readonly retries?: string | undefined;
  readonly maxWait?: string | undefined;
}

/** The settings of one run from global flags and environment, parsed once. */
export type RunSettings = ReturnType<typeof readRunSettings>;

/** Reads flags and environment: a flag wins over its variable. @throws CliError usage */
export function readRunSettings(flags: GlobalFlags, env: Environment) {
  if (flags.profile === "") throw emptyValueError("--profile");
  return {
    ...readReportSettings(flags, env),
    ...readSwitches(flags),
    command: flags.command ?? "",
    /** Undefined when `--profile` was not given. */
    profile: flags.profile,
    /** Every `--calendar`, in order. */
    calendars: flags.calendar ?? [],
    /** `--fields` as typed: each view knows its own. Undefined without a value, which `addAction` answers. */
    fields: flags.fields === true ? undefined : flags.fields,
    /** `--jq` or `--template`; null for neither. */
    program: readProgram(flags),
    /** The zone of `--timezone` or CALCTL_TIMEZONE; undefined when neither is set. */
    timezone: readTimeZone(flags, env),
    /** False when the program must not ask. */
    prompts: flags.prompts !== false && !isOn(env["CALCTL_NO_INPUT"]) && !isOn(env["CI"]),
    /** For one attempt, in milliseconds. */
    timeout: Math.ceil(readNumber(TIMEOUT, flags.timeout, env) * 1000),
    /** Attempts after the first one, where repeating is safe. */
    retries: readNumber(RETRIES, flags.retries, env),
    /** Total wait for a rate limit, in milliseconds. */
    maxWait: Math.ceil(readNumber(MAX_WAIT, flags.maxWait, env) * 1000),
  };
}

function readSwitches(flags: Switches): { readonly [K in keyof Switches]-?: boolean } {
  const { csvSafe = false, dryRun = false, refresh = false, quiet = false } = flags;
  const { verbose = false, isJob = false } = flags;
  return { csvSafe, dryRun, refresh, quiet, verbose, isJob };
}

/** Reads the settings of an error report, even when others are wrong. */
export function readReportSettings(flags: Pick<GlobalFlags, "output" | "color" | "debug">, env: Environment) {
  return {
    /** Null for the default. */
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

function readTimeZone({ timezone }: GlobalFlags, env: Environment): string | undefined {
  const setting = pickSetting({ flag: ["--timezone", timezone], variable: "CALCTL_TIMEZONE" }, env);
  return setting && readTimeZoneSetting(setting);
}

/** The IANA name of a setting's zone, in its usual case. @throws CliError */
export function readTimeZoneSetting(setting: Setting): string {
  const zone = readTimeZoneName(setting.value);
  if (zone !== null) return zone;
  throw settingError(setting, `"${setting.value}" is not a time zone`, timeZoneHint(setting.value));
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
const SECONDS = { allowed: /^\d{1,5}(?:\.\d{1,3})?$/, max: MAX_SECONDS };

export const TIMEOUT: NumberRule = {
  flag: "--timeout",
  variable: "CALCTL_TIMEOUT",
  default: 30,
  ...SECONDS,
  min: 0.001,
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
  ...SECONDS,
  min: 0,
  expected: `number of seconds from 0 to ${MAX_SECONDS}`,
};

function readNumber(rule: NumberRule, value: string | undefined, env: Environment): number {
  const setting = pickSetting({ flag: [rule.flag, value], variable: rule.variable }, env);
  if (setting === undefined) return rule.default;
  const number = rule.allowed.test(setting.value) ? Number(setting.value) : Number.NaN;
  if (number >= rule.min && number <= rule.max) return number;
  throw usageError(`${setting.source}: "${setting.value}" is not a ${rule.expected}`);
}
