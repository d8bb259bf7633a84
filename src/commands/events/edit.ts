import type { EventDraft } from "../../../contract/shapes.js";
import { CliError, describeWithoutFlags, hasCode, usageError } from "../../errors.js";
import { checkUnchanged, eventOfDraft, lastUpdate } from "../../events/content.js";
import { changes } from "../../events/draft.js";
import { createEventFinder, type FoundEvent } from "../../events/find/calendar-choice.js";
import type { ChooseScope } from "../../events/find/event-ids.js";
import {
  changedKeys,
  type DocumentOptions,
  describeChanges,
  documentOf,
  type EventDocument,
  messageLines,
  parseDocument,
  patchOfDocument,
  renderComment,
  renderDocument,
} from "../../events/input/edit-document.js";
import { createRelatedResolver } from "../../events/related.js";
import { type EventUpdate, withIds } from "../../events/write-events.js";
import type { Run } from "../../run/run.js";

/** `events update --edit`: the event in the editor, checked like flags, shown as a diff, and written. */

/** As messages name it. */
const FLAG = "--edit";

interface EditOptions {
  readonly id: string;
  /** Whether times are read in ISO 8601 only. */
  readonly strictDates: boolean;
  readonly chooseScope: ChooseScope;
}

/**
 * Opens an event in the editor, and writes it with `write` unless nothing was changed.
 * @returns null when it was written, the event as it is when nothing was changed
 * @throws CliError usage when there is no editor; changed (the text is kept) when somebody else changed the event
 */
export async function editEvent(
  run: Run,
  { id: eventId, strictDates, chooseScope }: EditOptions,
  write: (update: EventUpdate) => Promise<void>,
): Promise<FoundEvent | null> {
  const { calendar, event: current } = await (await createEventFinder(run)).read(eventId);
  const expectedUpdatedAt = lastUpdate(current, FLAG);
  const scope = await chooseScope(current);
  const resolver = createRelatedResolver(run, calendar.id);
  const options = { ...(await resolver.readAll()), zone: run.config.settings().timezone, strictDates };
  const before = documentOf(current, options);
  const editor = await run.terminal.openEditor();
  return editor.withFile("event.yaml", async (file) => {
    const draft = await editUntilValid(run, {
      text: await renderDocument(before, options),
      open: file.edit,
      read: (saved) => readDraft(run, saved, { event: current, before, options, resolver, scope }),
    });
    const after = draft === null ? before : documentOf(eventOfDraft(current, draft, options), options);
    const lines = await describeChanges(before, after);
    if (draft === null || lines.length === 0) return { calendar, event: current };
    await confirm(run, lines);
    const api = await run.api();
    checkUnchanged(await api.getEvent({ calendarId: calendar.id, eventId }), expectedUpdatedAt, FLAG);
    await write({ calendar, event: current, draft, expectedUpdatedAt, resolver, scope });
    return null;
  });
}

/** The update that a saved file asks for; null when nothing was changed. @throws CliError for what is wrong in it */
async function readDraft(
  run: Run,
  saved: string,
  {
    before,
    options,
    resolver,
    ...update
  }: Omit<EventUpdate, "calendar" | "draft" | "expectedUpdatedAt"> & {
    readonly before: EventDocument;
    readonly options: DocumentOptions;
  },
): Promise<EventDraft | null> {
  const after = await parseDocument(saved, before);
  if (after === null || changedKeys(before, after).length === 0) return null;
  const patch = await patchOfDocument(run, { before, after, strictDates: options.strictDates });
  const found = await withIds(run, [patch], { event: update.event, resolver });
  const draft = changes(update.event, found, options.zone);
  if (before.repeat === after.repeat) return draft;
  return { ...draft, recurrences: await planRule(run, after.repeat, { ...update, draft }) };
}

/** The lines of another rule. @throws CliError usage for one that does not fit */
async function planRule(
  run: Run,
  repeat: string,
  update: Pick<EventUpdate, "event" | "draft" | "scope">,
): Promise<readonly string[]> {
  if (repeat === "")
    throw usageError("repeat is empty", "leave the rule; calctl events delete deletes the other events");
  return (await import("../../events/repeat/repeat.js")).planRule(run, { repeat }, update);
}

interface EditLoop {
  readonly text: string;
  readonly open: (text: string) => Promise<string>;
  /** @throws CliError for a text that is wrong */
  readonly read: (saved: string) => Promise<EventDraft | null>;
}

/** Opens the editor again, with what is wrong at the top, until the text can be read or the user gives up. */
async function editUntilValid(run: Run, { text, open, read }: EditLoop): Promise<EventDraft | null> {
  let shown = text;
  let failure: CliError | undefined;
  for (;;) {
    const saved = await open(shown);
    if (failure !== undefined && saved === shown) throw failure;
    try {
      return await read(saved);
    } catch (error) {
      if (!hasCode(error, "usage", "not_found")) throw error;
      failure = error;
    }
    const problem = describeWithoutFlags(failure);
    if (!run.terminal.prompt.available)
      throw new CliError(failure.code, problem, { details: failure.details });
    await askAgain(run, problem);
    const lines = saved.split("\n").filter((line) => !line.startsWith(PROBLEM));
    shown = renderComment(problem, PROBLEM) + lines.join("\n");
  }
}

/** @throws CliError interrupted when the user gives up */
async function askAgain({ output, terminal }: Run, problem: string): Promise<void> {
  for (const line of messageLines(problem)) output.warn(line);
  if (!(await terminal.prompt.confirm("Edit again?", true)))
    throw new CliError("interrupted", "nothing was changed");
}

const PROBLEM = "#! ";

/** Shows what changes, and asks where that is possible. */
async function confirm(run: Run, lines: readonly string[]): Promise<void> {
  const asks = run.terminal.prompt.available && !run.flags.dryRun;
  for (const line of lines) (asks ? run.output.warn : run.output.note)(line);
  if (!asks) return;
  if (await run.terminal.prompt.confirm("Write these changes?", true)) return;
  throw new CliError("interrupted", "nothing was changed");
}
