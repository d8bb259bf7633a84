import type { Label } from "../../../contract/shapes.js";
import { missingLabelError, resolveLabel } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import { CliError } from "../../errors.js";
import type { ChosenCalendar } from "../calendar-choice.js";

/** The label to filter by, which each calendar may have under another id. */
export interface LabelFilter {
  /** Looks for the label in a calendar. A calendar without it is not an error yet. */
  resolve(calendarId: string): Promise<void>;
  /**
   * Composite ids of the label; undefined when the filter is not used. When no calendar has the label, that is only a
   * warning if some calendars could not be read.
   * @throws CliError not_found when all calendars were read and none has it
   */
  ids(
    calendars: readonly ChosenCalendar[],
    reading: { readonly allRead: boolean; readonly warn: (text: string) => void },
  ): ReadonlySet<string> | undefined;
}

/** @param value of `--label`; undefined without it */
export function createLabelFilter({ names }: Pick<Context, "names">, value: string | undefined): LabelFilter {
  const ids = new Set<string>();
  const missing = new Map<string, readonly Label[]>();
  return {
    async resolve(calendarId) {
      if (value === undefined) return;
      const labels = await names.labels(calendarId, value);
      try {
        ids.add(resolveLabel(value, labels, { calendarId, source: "--label" }).id);
      } catch (error) {
        if (!(error instanceof CliError) || error.code !== "not_found") throw error;
        missing.set(calendarId, labels);
      }
    },
    ids(calendars, { allRead, warn }) {
      if (value === undefined) return undefined;
      if (ids.size > 0 || missing.size === 0) return ids;
      const candidates = calendars.flatMap(({ id }) => missing.get(id) ?? []);
      const failure = missingLabelError(value, candidates, "--label");
      if (allRead) throw failure;
      warn(failure.message);
      return ids;
    },
  };
}
