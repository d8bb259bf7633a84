import type { Command } from "commander";
import type { EventDraft } from "../../../contract/shapes.js";
import { addAction, describeCommand, type RunOf, requireConfirmation } from "../../cli/command.js";
import { readGlobalFlags } from "../../cli/global-flags.js";
import { completeValues } from "../../cli/missing-values.js";
import { CliError } from "../../errors.js";
import { createAndPrint, readNewEvent } from "../../events/create/create.js";
import { type ChosenCalendar, chooseCalendar } from "../../events/find/calendar-choice.js";
import { localTimes } from "../../events/localized-event.js";
import { checkText } from "../../events/patch.js";
import { createRelatedResolver } from "../../events/related.js";
import { requireSeries } from "../../events/repeat/series.js";
import { eventView } from "../../events/views/event.js";
import { describeWhen } from "../../events/views/event-when.js";
import { sanitizeLine } from "../../output/sanitize.js";
import type { Run } from "../../run/run.js";
import type { Choice } from "../../terminal/prompt.js";
import { AmbiguousTextError } from "../../time/dates.js";
import type { SentenceReading } from "./sentence.js";

interface AddOptions {
  readonly text: readonly string[];
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

export function registerAdd(command: Command, runOf: RunOf): void {
  command
    .argument(
      "[text...]",
      "what and when, such as Lunch tomorrow 12-13; also every monday, at PLACE, #label, for 45m",
    )
    .option("-y, --yes", "skip the confirmation");
  describeCommand(command, {
    prints: { view: eventView, count: "one" },
    examples: () => [
      [
        "Lunch at a place, without confirmation",
        "calctl add -c Family Lunch with Ana tomorrow 12-13 at Noodle bar --yes",
      ],
      [
        "Three days; show the request without sending it",
        'calctl add -c Family "Skiing 27-29 dec #3" --dry-run',
      ],
      ["A title that contains the name of a day", `calctl add -c Work --yes '"Black Friday" sale fri 9:30'`],
    ],
  });
  addAction<AddOptions>(command, runOf, runAdd);
}

/** Creates the event that a sentence describes, once its reading is confirmed. */
async function runAdd(run: Run, { text: words, yes = false }: AddOptions, command: Command): Promise<void> {
  const { prompt } = run.terminal;
  const { timezone: zone, hours } = run.config.settings();
  const [{ readSentence }, { readingsOf }, { SOURCE }] = await Promise.all([
    import("./sentence.js"),
    import("./sentence-doubts.js"),
    import("./sentence-parts.js"),
  ]);
  const read = (text: string) => readSentence(text, { zone, now: run.now() });
  const reader = { read, readingsOf };
  const needed = {
    name: "TEXT",
    given: words.length === 0 ? undefined : words.join(" "),
    ask: () => prompt.text("What and when:", { check: (answer) => void tryReading(answer, reader) }),
  };
  const check = () => run.output.of(eventView);
  const { text } = await completeValues(prompt, { text: needed }, { command, check });
  const flags = await chooseReading(text, reader, prompt);
  checkText(flags, SOURCE);
  const labelSource = `${SOURCE} (quote "#${flags.label}" to keep it in the title)`;
  const event = await readNewEvent(run, { ...flags, labelSource });
  const { content, reading } = event;
  requireConfirmation(yes, prompt.available);
  const { profile } = readGlobalFlags(command);
  const layout = prompt.available ? await import("../../output/table/text-width.js") : null;
  const options = { width: prompt.columns - 2, breakWords: false };
  const shown = { content, zone, hours };
  const describe = (calendar?: ChosenCalendar, rule: readonly string[] = []) =>
    [...describeReading(flags, { ...shown, calendar }), ...rule].flatMap((line) =>
      (layout?.wrapText(sanitizeLine(line), options) ?? [line]).map((part) => `  ${part}`),
    );
  if (yes) {
    for (const line of describe()) run.output.note(line);
    return createAndPrint(run, event, {});
  }
  const calendar = await chooseCalendar(run, "writeCalendar");
  if (content.label !== undefined) await createRelatedResolver(run, calendar.id).labelId(content.label);
  if (reading !== undefined) await requireSeries(await run.api(), calendar.id);
  for (const line of describe(calendar, reading === undefined ? [] : [reading])) run.output.warn(line);
  const answer = await prompt.confirmOrEdit("Create it?");
  if (answer === false) throw new CliError("interrupted", "nothing was created");
  if (answer === true) return createAndPrint(run, event, { calendar, isRuleShown: true });
  const { askEvent } = await import("../../events/input/event-form.js");
  const form = await askEvent(run, {}, { profile, missing: ["--start"], preset: flags, calendar });
  await createAndPrint(run, await readNewEvent(run, form.flags), { calendar: form.calendar });
}

interface SentenceReader {
  readonly read: (text: string) => SentenceReading;
  readonly readingsOf: (text: string, error: AmbiguousTextError) => readonly string[];
}

/** The reading of a text; of one that can be read in several ways, the texts that say which. @throws CliError usage */
function tryReading(text: string, { read, readingsOf }: SentenceReader) {
  try {
    return { reading: read(text) };
  } catch (error) {
    const texts = error instanceof AmbiguousTextError ? readingsOf(text, error) : [];
    if (texts.length === 0) throw error;
    return { error: error as AmbiguousTextError, texts };
  }
}

/** Reads a text, of which the user chooses the reading if there are several. @throws CliError usage without a terminal */
async function chooseReading(
  text: string,
  reader: SentenceReader,
  prompt: Run["terminal"]["prompt"],
): Promise<SentenceReading> {
  const { reading, error, texts = [] } = tryReading(text, reader);
  if (reading !== undefined) return reading;
  if (!prompt.available) throw error;
  const question = `${error.message.replace(/^[^:]*: /, "")}:`;
  const choices = texts.flatMap((text) => describeChoice(text, reader));
  if (choices.length < 2) throw error;
  return chooseReading(await prompt.choose(question, choices), reader, prompt);
}

/** A text to choose, with its title and place; none of a text that cannot be read. */
function describeChoice(text: string, reader: SentenceReader): readonly Choice<string>[] {
  try {
    const { reading } = tryReading(text, reader);
    if (reading === undefined) return [{ name: text, value: text }];
    const { title, location } = reading;
    const place = location === undefined ? "" : `, place "${location}"`;
    return [{ name: text, value: text, description: `title "${title}"${place}` }];
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

/** The lines that show how a sentence was understood. */
function describeReading(
  { title, location, label, allDay }: SentenceReading,
  {
    content,
    calendar,
    zone,
    hours,
  }: {
    readonly content: EventDraft<unknown>;
    readonly calendar?: ChosenCalendar | undefined;
    readonly zone: string;
    readonly hours: 12 | 24;
  },
): readonly string[] {
  const { all_day = null, start_at = null, end_at = null } = content;
  const when = describeWhen(localTimes({ all_day, start_at, end_at }, zone), { year: true, hours, zone });
  const where = [location && `at ${location}`, label && `#${label}`, calendar?.name || calendar?.id];
  const lines = [title, allDay === true ? when : `${when} ${zone}`, where.filter(Boolean).join("  ")];
  return lines.flatMap((line) => line || []);
}
