import { type Beginning, beginningOf, checkRepeat, copiesOf, untilDay } from "../../calendar/copies.js";
import { notADayError } from "../../calendar/dates.js";
import type { EventContent } from "../../calendar/event-draft.js";
import { readRule } from "../../calendar/recurrence-rule.js";
import { parseRepeat } from "../../calendar/repeat-words.js";
import { describeRule } from "../../calendar/rule-words.js";
import { describeLocal } from "../../calendar/zoned-time.js";
import { CliError, usageError } from "../../errors.js";
import { readDateFlag, type TimeContext } from "./date-flags.js";
import type { EventFieldFlags } from "./event-flags.js";

/** `events create --repeat RULE --copies`: single events by rule. */

/** @throws CliError usage for flags that need or exclude each other */
export function checkRepeatFlags({ repeat, until, count, except, copies }: EventFieldFlags): void {
  const others = { "--until": until, "--count": count, "--except": except, "--copies": copies };
  const useless = Object.entries(others).find(([, value]) => value !== undefined);
  if (repeat === undefined && useless !== undefined)
    throw usageError(`missing --repeat: ${useless[0]} has no effect without it`);
  if (until !== undefined && count !== undefined)
    throw usageError("--until and --count are both given", "give one of the two");
}

/**
 * Every copy, in order; says on stderr how the rule was read.
 * @param content the event as it would be without `--repeat`
 * @throws CliError usage for a rule or days that do not fit; rejected without `--copies`
 */
export async function planCopies(
  context: TimeContext,
  flags: EventFieldFlags,
  content: EventContent,
): Promise<readonly EventContent[]> {
  const beginning = beginningOf(content);
  const dayOf = createDayReader(context, flags, beginning);
  const text = await readRepeat(flags, beginning, dayOf);
  const rule = checkRepeat(text, beginning);
  if (flags.copies !== true) {
    const hint = "--copies makes single events, as many as --until or --count says";
    throw new CliError("rejected", "this service does not store repeating events", { hint });
  }
  if (rule.COUNT === undefined && rule.UNTIL === undefined)
    throw usageError("missing --until or --count: the rule of --repeat has no end");
  const excluded: string[] = [];
  for (const day of flags.except ?? []) excluded.push(await dayOf(day, "--except"));
  const copies = copiesOf(content, text, excluded);
  const days = copies.slice(0, 3).map(({ day }) => describeLocal(day, beginning.zone));
  const reading = describeRule(rule, beginning.zone);
  context.output.note(`repeat: ${reading}: ${days.join(", ")}${copies.length > 3 ? ", …" : ""}`);
  return copies.map((copy) => copy.content);
}

type DayReader = (text: string, source: string) => Promise<string>;

/** The RRULE of `--repeat`, with the end that the other flags say. @throws CliError usage */
async function readRepeat(
  { repeat = "", count, until }: EventFieldFlags,
  beginning: Beginning,
  dayOf: DayReader,
): Promise<string> {
  const rule = parseRepeat(repeat, "--repeat");
  if ((count ?? until) === undefined) return rule;
  if (count !== undefined && !/^\d+$/.test(count))
    throw usageError(`--count: "${count}" is not a whole number`, "write a number such as 10");
  const source = count === undefined ? "--until" : "--count";
  const end = count === undefined ? untilDay(await dayOf(until ?? "", source), beginning) : `COUNT=${count}`;
  readRule(`${rule};${end}`, source);
  return `${rule};${end}`;
}

/** Reads days in the zone of the event, as `YYYY-MM-DD`. */
function createDayReader(
  { now, output }: TimeContext,
  { strictDates: strict = false }: EventFieldFlags,
  { zone, local }: Beginning,
): DayReader {
  return async (text, source) => {
    const from = () => local.slice(0, "YYYY-MM-DD".length);
    const options = { source, zone, strict, dayOnly: true, now, echo: output.note, from };
    const input = await readDateFlag(text, options);
    if (input.kind === "date") return input.date;
    throw notADayError(text, source);
  };
}
