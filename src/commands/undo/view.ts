import { INSTANT } from "../../events/views/calendar.js";
import { describeInstant } from "../../events/views/event-when.js";
import { firstNames } from "../../output/first-names.js";
import type { View } from "../../output/view.js";

/** A command that wrote something, as `undo --list` shows it and `undo` takes it back. */
export interface UndoableCommand {
  /** 1 for the latest. */
  readonly number: number;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly at: string;
  readonly command: string;
  readonly events: readonly string[];
  readonly titles: readonly string[];
}

export const undoableView: View<UndoableCommand> = {
  noun: "command",
  shape: "undoable",
  keys: {
    number: { type: "integer", about: "1 is the latest" },
    at: { type: "string", about: INSTANT, cell: ({ at }, clock) => ({ text: describeInstant(at, clock) }) },
    command: { type: "string", about: "such as events delete" },
    events: { type: "string[]", about: "ids of events; of those that undo created again the new ones" },
    titles: {
      type: "string[]",
      about: "of the events",
      header: "Events",
      minWidth: 8,
      cell: ({ titles }) => ({ text: firstNames(titles, MAX_TITLES) }),
    },
  },
  members: ["number", "at", "command", "events"],
  tsv: ["number", "at", "command", "events"],
  table: ["number", "at", "command", "titles"],
};

/** As many as the lines of an undo name. */
const MAX_TITLES = 20;
