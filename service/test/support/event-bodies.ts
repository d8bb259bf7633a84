/** Attributes of a schedule that is valid. */
export const SCHEDULE = {
  title: "Lunch",
  category: "schedule",
  all_day: false,
  start_at: "2026-11-21T12:00:00.000Z",
  end_at: "2026-11-21T13:00:00.000Z",
} as const;

export const KEEP = { title: "Book tickets", category: "keep" } as const;

export interface EventBodyOptions {
  readonly label?: string;
  readonly attendees?: readonly string[];
}

/** The body of a create or an update. */
export function eventBody(attributes: object, { label = "1", attendees }: EventBodyOptions = {}): object {
  return {
    data: {
      attributes,
      relationships: {
        label: { data: { id: label, type: "label" } },
        ...(attendees && { attendees: { data: attendees.map((id) => ({ id, type: "user" })) } }),
      },
    },
  };
}

export function activityBody(content: unknown): object {
  return { data: { attributes: { content } } };
}

/** The body of a new feed. @param calendars ids */
export function feedBody(calendars: readonly string[], attributes: object = {}): object {
  const data = calendars.map((id) => ({ id, type: "calendar" }));
  return { data: { attributes, relationships: { calendars: { data } } } };
}
