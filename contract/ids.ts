/**
 * Ids of labels and of users inside a calendar are composite: `<calendar_id>,<plain>`.
 * Some services send or accept only the plain part. @see contract section 2
 */
export function compositeId(calendarId: string, id: string): string {
  return id.includes(",") ? id : `${calendarId},${id}`;
}

/** The part of a composite id after the comma; a plain id unchanged. */
export function plainId(id: string): string {
  return id.slice(id.indexOf(",") + 1);
}

/** The calendar part of a composite id, null when the id is plain. */
export function calendarOfId(id: string): string | null {
  const comma = id.indexOf(",");
  return comma === -1 ? null : id.slice(0, comma);
}
