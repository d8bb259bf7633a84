import { resolveAttendees } from "../../calendar/attendees.js";
import type { KnownRelated } from "../../calendar/known-related.js";
import { resolveLabel } from "../../calendar/labels.js";
import type { Context } from "../../context.js";
import type { Label, User } from "../../contract/shapes.js";

/** A value and where it came from. */
export interface NamedValue {
  readonly value: string;
  /** Names it in messages. */
  readonly source: string;
}

export interface NamedValues {
  readonly values: readonly string[];
  /** Names them in messages. */
  readonly source: string;
  /** Who may be meant besides the members. */
  readonly others: readonly User[];
}

/** Nothing where there is no value. */
export function namedValues(
  values: readonly string[] | undefined,
  source: string,
  others: readonly User[] = [],
): NamedValues | undefined {
  return values === undefined ? undefined : { values, source, others };
}

/** Finds labels and members of one calendar by name; each list is read once, and only when it is needed. */
export interface RelatedFinder {
  /** Composite id. @throws CliError not_found with the candidates */
  labelId(named: NamedValue): Promise<string>;
  /** Composite ids; `me` stands for the current user. @throws CliError not_found with the candidates */
  attendeeIds(named: NamedValues | undefined): Promise<readonly string[] | undefined>;
  /** What was read on the way. */
  known(): KnownRelated;
}

export function createRelatedFinder({ api }: Pick<Context, "api">, calendarId: string): RelatedFinder {
  let labels: readonly Label[] | undefined;
  let members: readonly User[] | undefined;
  let me: User | undefined;
  return {
    async labelId({ value, source }) {
      labels ??= await (await api()).listLabels(calendarId);
      return resolveLabel(value, labels, { calendarId, source }).id;
    },
    async attendeeIds(named) {
      if (named === undefined) return undefined;
      const { values, source, others } = named;
      if (values.length === 0) return [];
      const client = await api();
      members ??= await client.listMembers(calendarId);
      const all = members;
      if (values.includes("me")) me ??= await client.getCurrentUser();
      const further = others.filter(({ id }) => all.every((member) => member.id !== id));
      return resolveAttendees(values, [...all, ...further], { me: me?.id ?? null, calendarId, source });
    },
    known: () => ({ labels: labels ?? [], users: [...(members ?? []), ...(me === undefined ? [] : [me])] }),
  };
}
