import { type Environment, readVariable, type Variable } from "../config/environment.js";
import { pickSetting } from "../config/settings.js";
import type { GlobalFlags } from "../context.js";
import { usageError } from "../errors.js";

/** A limit that a flag or a variable sets. */
interface Limit {
  readonly flag: string;
  readonly variable: Variable;
  /** Where neither is set. */
  readonly fallback: number;
  readonly allowed: RegExp;
  readonly min: number;
  readonly max: number;
  /** What the value must be, as messages say it. */
  readonly wanted: string;
}

const DAY = 86_400;
const SECONDS = /^\d{1,5}(?:\.\d{1,3})?$/;

const TIMEOUT: Limit = {
  flag: "--timeout",
  variable: "CALCTL_TIMEOUT",
  fallback: 30,
  allowed: SECONDS,
  min: 0.001,
  max: DAY,
  wanted: `number of seconds above 0 and up to ${DAY}`,
};

const RETRIES: Limit = {
  flag: "--retries",
  variable: "CALCTL_RETRIES",
  fallback: 3,
  allowed: /^\d{1,3}$/,
  min: 0,
  max: 100,
  wanted: "whole number from 0 to 100",
};

const MAX_WAIT: Limit = {
  flag: "--max-wait",
  variable: "CALCTL_MAX_WAIT",
  fallback: 60,
  allowed: SECONDS,
  min: 0,
  max: DAY,
  wanted: `number of seconds from 0 to ${DAY}`,
};

/** How long and how often a command tries. */
export interface RequestLimits {
  /** Longest time of one attempt in milliseconds. */
  readonly timeout: number;
  /** Further attempts where repeating is safe. */
  readonly retries: number;
  /** Longest total wait for a rate limit in milliseconds. */
  readonly maxWait: number;
}

/** Decides the limits by flag, else environment, else default. @throws CliError usage */
export function decideRequestLimits(flags: GlobalFlags, env: Environment): RequestLimits {
  return {
    timeout: Math.ceil(decide(TIMEOUT, flags.timeout, env) * 1000),
    retries: decide(RETRIES, flags.retries, env),
    maxWait: Math.ceil(decide(MAX_WAIT, flags.maxWait, env) * 1000),
  };
}

function decide(limit: Limit, typed: string | undefined, env: Environment): number {
  const setting = pickSetting(
    { name: limit.flag, value: typed },
    { name: limit.variable, value: readVariable(env, limit.variable) },
    undefined,
  );
  if (setting === undefined) return limit.fallback;
  const value = limit.allowed.test(setting.value) ? Number(setting.value) : Number.NaN;
  if (value >= limit.min && value <= limit.max) return value;
  throw usageError(`${setting.source}: "${setting.value}" is no ${limit.wanted}`);
}
