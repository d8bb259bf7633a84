import { compositeId, plainId } from "../contract/ids.js";
import type { User } from "../contract/shapes.js";
import { usageError } from "../errors.js";
import { resolveName } from "./names.js";

export interface ResolveAttendeesOptions {
  /** Id of the current user, which `me` stands for; null when it is not known. */
  readonly me: string | null;
  readonly calendarId: string;
  /** Where the values came from, as messages name it. */
  readonly source: string;
}

/**
 * The composite ids of members given by user id (plain or composite), by name or as `me`, each once.
 * @throws CliError not_found with the candidates when no member fits, usage when several bear the name
 */
export function resolveAttendees(
  values: readonly string[],
  members: readonly User[],
  options: ResolveAttendeesOptions,
): readonly string[] {
  const ids = values.map((value) =>
    compositeId(options.calendarId, resolveMember(value, members, options).id),
  );
  return [...new Set(ids)];
}

function resolveMember(value: string, members: readonly User[], options: ResolveAttendeesOptions): User {
  const { calendarId, source } = options;
  if (value === "") throw usageError(`${source} is empty`, "is a variable of the script unset?");
  const wanted = compositeId(calendarId, value === "me" ? ownId(options) : value);
  const found = members.find(({ id }) => compositeId(calendarId, id) === wanted);
  return found ?? resolveName(value, members, { noun: "member", source });
}

function ownId({ me, source }: ResolveAttendeesOptions): string {
  if (me !== null) return plainId(me);
  throw usageError(`${source}: it is not known who "me" is`, "give a user id or a member's name");
}
