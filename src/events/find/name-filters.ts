import { type CliError, emptyValueError, hasCode } from "../../errors.js";
import type { Run } from "../../run/run.js";
import { missingLabelError, missingMemberError, resolveAttendees, resolveLabel } from "../names.js";
import type { EventFilter } from "../order.js";
import type { FilterFlags } from "./event-query.js";

export type NameFilters = Awaited<ReturnType<typeof createNameFilters>>;

/**
 * The filters that name labels and members, of which each calendar may have others.
 * @throws CliError usage for an empty name
 */
export async function createNameFilters(
  { api, output }: Run,
  { label, excludeLabel, attendee }: FilterFlags,
) {
  const included = createLookup("--label", label, missingLabelError);
  const excluded = createLookup("--exclude-label", excludeLabel, missingLabelError);
  const attending = createLookup("--attendee", attendee, missingMemberError);
  const labels = [...(label ?? []), ...(excludeLabel ?? [])];
  const me = attendee?.includes("me") ? (await (await api()).getCurrentUser()).id : null;
  return {
    /** Looks for the names in a calendar, before its events are read. */
    async findNames(calendarId: string): Promise<void> {
      if (labels.length > 0) {
        const there = await (await api()).listLabels(calendarId);
        for (const { source, find } of [included, excluded])
          find(there, (value) => resolveLabel(value, there, { calendarId, source }).id);
      }
      if (attendee === undefined) return;
      const members = await (await api()).listMembers(calendarId);
      const { source } = attending;
      attending.find(members, (value) =>
        resolveAttendees([{ value, source }], members, { me, calendarId }).join(),
      );
    },
    /**
     * What the events are filtered by, once the calendars were opened.
     * @param allRead whether all of them could be
     * @throws CliError not_found when all calendars were read and none has a name; otherwise it is a warning
     */
    nameFilter(allRead: boolean): EventFilter {
      for (const failure of [included, excluded, attending].flatMap(({ failures }) => failures())) {
        if (allRead) throw failure;
        output.warn(failure.message);
      }
      return { labelIds: included.ids, excludedLabelIds: excluded.ids, attendeeIds: attending.ids };
    },
  };
}

/** Looks names up in one calendar after the other; one of them that has a name is enough. */
function createLookup<T>(
  source: string,
  values: readonly string[] | undefined,
  missingError: (value: string, candidates: readonly T[], source: string) => CliError,
) {
  if (values?.includes("")) throw emptyValueError(source);
  const ids = new Set<string>();
  const found = new Set<string>();
  const candidates: T[] = [];
  let isAsked = false;
  return {
    source,
    /** Composite; undefined without names. */
    ids: values === undefined ? undefined : ids,
    find(there: readonly T[], resolve: (value: string) => string): void {
      isAsked = true;
      candidates.push(...there);
      for (const value of values ?? []) {
        try {
          ids.add(resolve(value));
          found.add(value);
        } catch (error) {
          if (!hasCode(error, "not_found")) throw error;
        }
      }
    },
    /** One for each name that no calendar has. */
    failures(): readonly CliError[] {
      const missing = isAsked ? (values ?? []).filter((value) => !found.has(value)) : [];
      return missing.map((value) => missingError(value, candidates, source));
    },
  };
}
