import type { Context } from "../../context.js";
import type { State } from "../../state/state.js";
import type { ChosenCalendar } from "../calendar-choice.js";
import type { EventContext } from "../events/event-reader.js";
import type { Drafter } from "./drafts.js";
import type { ImportFlags, ImportJob, ReadSource } from "./read-source.js";
import type { ImportRecords } from "./records.js";

/** One run of the command, once its file is read. */
export interface ImportRun {
  readonly context: EventContext & Pick<Context, "state" | "machine">;
  readonly flags: ImportFlags;
  readonly job: ImportJob;
  readonly read: ReadSource;
  readonly calendar: ChosenCalendar;
  readonly drafter: Drafter;
  readonly state: State;
  readonly records: ImportRecords;
}
