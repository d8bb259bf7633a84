import type { EventDraft } from "../../../contract/shapes.js";
import type { Created } from "../../api/endpoints.js";
import { type Attempted, processInOrder, reportMissing } from "../../cli/items.js";
import { CliError, usageError, wrapError } from "../../errors.js";
import type { Output } from "../../output/view.js";
import type { Run } from "../../run/run.js";
import type { JsonItem } from "../../terminal/json-items.js";
import { describeLocal, formatLocal } from "../../time/zoned-time.js";
import { draft as draftOf } from "../draft.js";
import { chooseCalendar } from "../find/calendar-choice.js";
import { rememberShown } from "../find/event-reader.js";
import { defaultLength } from "../input/date-flags.js";
import { type EventFlags, namesRepeat, readEventFields } from "../input/event-flags.js";
import { readEventInput, readKeyedInput } from "../json.js";
import type { LocalizedEvent } from "../localized-event.js";
import { checkKey } from "../patch.js";
import { eventView } from "../views/event.js";
import { checkRecurrences, createEventMaker, type EventMaker, noteKeepWithoutTimes } from "./make-event.js";

/**
 * Creates the events of an input, a few at a time, and reports them in its order. Nothing is sent for one that cannot be
 * read. ndjson is printed as the events are made, and only what failed is held.
 * @throws CliError partial when some could not be made, otherwise the first failure
 */
export async function createSeveral(
  run: Run,
  typed: EventFlags,
  items: AsyncIterable<JsonItem>,
): Promise<void> {
  if (typed.key !== undefined)
    throw usageError("--key: the input has several events", 'set "key" in each event');
  if (namesRepeat(typed)) throw usageError("--repeat: the input has several events", "use it with one event");
  const output = run.output.of(eventView);
  const { input: _, ...flags } = typed;
  const events = await prepareEvents(run, flags, items);
  await report(run, await makeEvents(run, events, output.stream), output);
}

/**
 * Creates events like `createSeveral`, with a key of each made of the given one and its start.
 * @throws CliError as `createSeveral`
 */
export async function createDrafts(
  run: Run,
  drafts: readonly EventDraft[],
  { maker, key }: { readonly maker: EventMaker; readonly key: string | undefined },
): Promise<void> {
  const output = run.output.of(eventView);
  const { timezone } = run.config.settings();
  const keyOf = ({ start_at: start }: EventDraft) => (key === undefined ? undefined : `${key} ${start}`);
  // Too long with its start, it would be refused once others were made.
  for (const draft of drafts) checkKey(keyOf(draft), "--key with a start");
  const events = drafts.map((draft): PreparedEvent => {
    const { all_day: allDay, start_at: start = "" } = draft;
    const local = allDay === true ? start.slice(0, 10) : formatLocal(Date.parse(start), timezone);
    const name = `on ${describeLocal(local, timezone)}`;
    return { place: local, name, send: () => maker.make(draft, { key: keyOf(draft) }) };
  });
  await report(run, await makeEvents(run, events, output.stream), output);
}

interface PreparedEvent {
  /** `line 3`, `[2]` of a list, or the start of a copy. */
  readonly place: string;
  /** As messages name it: `at line 3 (Lunch)`. */
  readonly name: string;
  readonly send: () => Promise<Created<LocalizedEvent>>;
}

/** The events one after the other, so that labels and members are read once. */
async function prepareEvents(
  run: Run,
  typed: EventFlags,
  items: AsyncIterable<JsonItem>,
): Promise<AsyncGenerator<PreparedEvent>> {
  const settings = run.config.settings();
  const defaults = { zone: settings.timezone, length: defaultLength(settings) };
  const flags = await readEventFields(run, typed);
  const maker = createEventMaker(run, await chooseCalendar(run, "writeCalendar"));
  async function* prepare(): AsyncGenerator<PreparedEvent> {
    for await (const { place, read } of items) {
      let name = `at ${place}`;
      try {
        const { title, key, fields } = readKeyedInput(await read(), "--input");
        if ((title ?? "") !== "") name = `at ${place} (${title})`;
        checkKey(key, "--input: key");
        const { patch, notes } = readEventInput(fields, "--input");
        for (const text of notes) run.output.note(`event ${name}: ${text}`);
        const content = draftOf([patch, ...flags], defaults);
        await checkRecurrences(content);
        const draft = await maker.complete(content);
        yield { place, name, send: () => maker.make(draft, { key }) };
      } catch (error) {
        yield { place, name, send: () => Promise.reject(error) };
      }
    }
  }
  return prepare();
}

/** What became of the events; only what was not printed yet is held. */
interface Outcome {
  made: number;
  /** Of these, how many were already created with their keys. */
  repeated: number;
  readonly unprinted: LocalizedEvent[];
  /** Those that were not made. */
  readonly others: Attempted<Omit<PreparedEvent, "send">, Created<LocalizedEvent>>[];
  /** The first keep without times. */
  keep?: LocalizedEvent;
  /** Why events could not be printed. They are made all the same: others are being made at that time. */
  printError?: CliError;
}

async function makeEvents(
  { terminal }: Run,
  events: Iterable<PreparedEvent> | AsyncIterable<PreparedEvent>,
  stream: Output<LocalizedEvent>["stream"],
): Promise<Outcome> {
  const outcome: Outcome = { made: 0, repeated: 0, unprinted: [], others: [] };
  const progress = await terminal.openProgress();
  try {
    for await (const attempt of processInOrder(events, ({ send }) => send())) {
      if (attempt.result.kind === "done") await noteMade(outcome, attempt.result.value, stream);
      else outcome.others.push(attempt);
      progress.show({ what: `events created: ${outcome.made}`, done: 0, total: 0 });
    }
  } catch (error) {
    const item = { place: "rest", name: "in the rest" };
    outcome.others.push({ item, result: { kind: "stopped", error } });
  } finally {
    progress.clear();
  }
  return outcome;
}

async function noteMade(
  outcome: Outcome,
  { created, isRepeat }: Created<LocalizedEvent>,
  stream: Output<LocalizedEvent>["stream"],
): Promise<void> {
  outcome.made += 1;
  outcome.repeated += Number(isRepeat);
  if (created.start_at === null) outcome.keep ??= created;
  if (stream === null) outcome.unprinted.push(created);
  else if (outcome.printError === undefined)
    await stream([created]).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      outcome.printError = error;
    });
}

/** Prints the list and what is to be said about it. @throws CliError as `createSeveral` */
async function report(
  run: Run,
  { made, repeated, unprinted, others, keep, printError }: Outcome,
  output: Output<LocalizedEvent>,
): Promise<void> {
  const { note, warn } = run.output;
  const done = `${made} events were created`;
  const reportFailures = () => {
    // Where nothing was made, the first failure gives the exit code, and 2 would say that nothing was sent.
    const ordered = others.toSorted((one, other) => Number(isUsage(one)) - Number(isUsage(other)));
    reportMissing(made > 0 ? others : ordered, {
      noun: "event",
      verb: "created",
      name: ({ name }) => name,
      id: ({ place }) => place,
      warn,
      othersDone: made,
      isOnly: made + others.length === 1,
    });
  };
  if (printError !== undefined)
    throw wrapError(printError, printError.code, `${printError.message}, but ${done}`);
  if (repeated > 0) note(`${repeated} of ${made} were already created with their keys`);
  await rememberShown(run, unprinted);
  if (output.stream === null && (made > 0 || others.length === 0)) await output.print(unprinted, done);
  const last = others.findLast(({ result }) => result.kind !== "failed");
  if (last !== undefined) warn(`the events after the one ${last.item.name} were skipped`);
  else if (keep !== undefined) await noteKeepWithoutTimes(run, keep);
  reportFailures();
}

function isUsage({ result }: Outcome["others"][number]): boolean {
  return "error" in result && result.error instanceof CliError && result.error.code === "usage";
}
