import type { Command } from "commander";
import { collect } from "../../cli/global-flags.js";
import { usageError } from "../../errors.js";
import type { EventFieldFlags } from "./event-flags.js";

/** The flags about how an event repeats, without the rule engine. */

/** Declares them. */
export function addRepeatFlags(command: Command): Command {
  return command
    .option("--repeat <rule>", "weekly on mon, every 2 weeks, monthly on the last fri or FREQ=…")
    .option("--until <date>", "the last day on which it may repeat")
    .option("--count <number>", "how many times it takes place")
    .option("--except <date>", "a date on which it does not take place, repeatable", collect);
}

/** Whether any is given. */
export function namesRepeat({ repeat, until, count, except, copies }: EventFieldFlags): boolean {
  return (repeat ?? until ?? count ?? except ?? copies) !== undefined;
}

/**
 * @param hasRule whether the event may have a rule already, which `--until` and `--count` end
 * @throws CliError usage for flags that need or exclude each other
 */
export function checkRepeatFlags(
  { repeat, until, count, except, copies }: EventFieldFlags,
  { hasRule }: { readonly hasRule: boolean },
): void {
  const ends = hasRule ? {} : { "--until": until, "--count": count };
  const others = { ...ends, "--except": except, "--copies": copies };
  const useless = Object.entries(others).find(([, value]) => value !== undefined);
  if (repeat === undefined && useless !== undefined)
    throw usageError(`missing --repeat: ${useless[0]} has no effect without it`);
  if (until !== undefined && count !== undefined)
    throw usageError("--until and --count are both given", "use only one of them");
}
