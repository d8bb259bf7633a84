import type { Label, User } from "../../contract/shapes.js";
import type { Api } from "../api/client.js";
import type { RelatedResources } from "./localized-event.js";
import { findPrintedLabel, type Named, resolveAttendees, resolveLabel } from "./names.js";

/** From the names of labels and people in patches and drafts to ids. */

/** Number of the label of an event without one. */
export const DEFAULT_LABEL = "1";

interface ApiAccess {
  readonly api: () => Promise<Pick<Api, "listLabels" | "listMembers" | "getCurrentUser">>;
}

/** Resolves names of labels and members of one calendar. Each list is read once, when first needed. */
export interface RelatedResolver {
  /**
   * Composite id; null for a label of an output that this calendar does not have.
   * @param missing is called with the name of such a label
   * @throws CliError not_found with the candidates for any other
   */
  labelId(named: Named, missing?: (name: string) => void): Promise<string | null>;
  /**
   * Composite ids; `me` is the current user.
   * @param others users who may be named in addition to the members
   * @throws CliError not_found with the candidates
   */
  attendeeIds(
    named: readonly Named[] | undefined,
    others?: readonly User[],
  ): Promise<readonly string[] | undefined>;
  members(): Promise<readonly User[]>;
  /** Every label and member. */
  readAll(): Promise<{ readonly labels: readonly Label[]; readonly members: readonly User[] }>;
  /** What was read so far. */
  resources(): RelatedResources;
}

/** The resolver of each calendar, so that its labels and members are read once. */
export function createResolvers(run: ApiAccess): (calendarId: string) => RelatedResolver {
  const resolvers = new Map<string, RelatedResolver>();
  return (calendarId) => {
    const resolver = resolvers.get(calendarId) ?? createRelatedResolver(run, calendarId);
    resolvers.set(calendarId, resolver);
    return resolver;
  };
}

/** Nothing is read before a name is resolved, nor for an empty list of attendees. */
export function createRelatedResolver({ api }: ApiAccess, calendarId: string): RelatedResolver {
  let labels: readonly Label[] | undefined;
  let members: readonly User[] | undefined;
  let me: User | undefined;
  const readLabels = async () => {
    labels ??= await (await api()).listLabels(calendarId);
    return labels;
  };
  const readMembers = async () => {
    members ??= await (await api()).listMembers(calendarId);
    return members;
  };
  return {
    members: readMembers,
    readAll: async () => ({ labels: await readLabels(), members: await readMembers() }),
    async labelId({ value, source, printed }, missing) {
      const all = await readLabels();
      if (printed === undefined) return resolveLabel(value, all, { calendarId, source }).id;
      const found = findPrintedLabel(printed, all);
      if (found === null) missing?.(value);
      return found?.id ?? null;
    },
    async attendeeIds(named, others = []) {
      if (named === undefined || named.length === 0) return named && [];
      const all = await readMembers();
      if (named.some(({ value }) => value === "me")) me ??= await (await api()).getCurrentUser();
      const further = others.filter(({ id }) => all.every((member) => member.id !== id));
      return resolveAttendees(named, [...all, ...further], { me: me?.id ?? null, calendarId });
    },
    resources: () => ({
      labels: labels ?? [],
      users: [...(members ?? []), ...(me === undefined ? [] : [me])],
    }),
  };
}
