/**
 * The flat shapes of resources: attributes next to the id, relationships resolved. Keys are the contract's names.
 * Null means that the service did not send the value.
 */

export const CATEGORIES = ["schedule", "keep"] as const;
export type Category = (typeof CATEGORIES)[number];

export interface User {
  /** Composite inside a calendar, plain for the current user. */
  readonly id: string;
  /** `user`, or `application` for the creator of an event that is an app. */
  readonly type: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly image_url: string | null;
}

export interface Label {
  /** Composite: `<calendar_id>,<number>`. */
  readonly id: string;
  /** The plain part of the id as a number; null when it is not a number. */
  readonly number: number | null;
  /** Empty for the default label. */
  readonly name: string | null;
  readonly color: string | null;
}

export interface Calendar {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly color: string | null;
  readonly order: number | null;
  readonly image_url: string | null;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly created_at: string | null;
  readonly labels: readonly Label[];
  readonly members: readonly User[];
}

export interface Event {
  readonly id: string;
  readonly calendar_id: string;
  /** `schedule` or `keep`; a service may send others. */
  readonly category: string | null;
  readonly title: string | null;
  readonly all_day: boolean | null;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`; null for a keep without times. */
  readonly start_at: string | null;
  readonly start_timezone: string | null;
  /** UTC; for an all-day event the midnight after its last day. */
  readonly end_at: string | null;
  readonly end_timezone: string | null;
  /** RFC 5545 lines. */
  readonly recurrences: readonly string[];
  readonly description: string | null;
  readonly location: string | null;
  readonly url: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly creator: User | null;
  readonly label: Label | null;
  readonly attendees: readonly User[];
  /** Id of the series of which it is an occurrence; null for a single event, and where a service does not tell. */
  readonly series_id: string | null;
}

export interface Activity {
  readonly id: string;
  readonly event_id: string;
  readonly calendar_id: string;
  readonly content: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

/** A comment in a list. */
export interface Comment extends Activity {
  readonly creator: User | null;
}

/** Calendars at a secret address. @see docs/extensions.md */
export interface Feed {
  readonly id: string;
  readonly name: string | null;
  readonly calendars: readonly Pick<Calendar, "id" | "name">[];
  readonly busy_only: boolean | null;
  readonly created_at: string | null;
  /** The day of the last use, as midnight UTC; null if it was never used. */
  readonly last_used_at: string | null;
  /** Only when it was just made: of the page, and with `.ics` of the calendar. */
  readonly address?: string;
}

/** What a client can write of an event. */
export type WritableField = Exclude<
  keyof Event,
  "id" | "calendar_id" | "created_at" | "updated_at" | "creator" | "series_id"
>;

/** When an event is. */
export type TimeField = "all_day" | "start_at" | "start_timezone" | "end_at" | "end_timezone";

/** What else it says. Lists that must have all of it are checked by `satisfies Record<ContentField, …>`. */
export type ContentField = Exclude<WritableField, TimeField>;

/**
 * The writable fields of an event, checked and ready to send. All are named, so that none is lost where a draft is put together;
 * undefined ones are not sent.
 * @template Ref how it names its label and its people: by composite id where it is sent
 */
export interface EventDraft<Ref = string> extends Readonly<Record<WritableField, unknown>> {
  readonly category: string;
  readonly title: string;
  readonly all_day: boolean | undefined;
  /** ISO 8601 with an offset or `Z`. */
  readonly start_at: string | undefined;
  readonly start_timezone: string | undefined;
  readonly end_at: string | undefined;
  readonly end_timezone: string | undefined;
  readonly description: string | undefined;
  readonly location: string | undefined;
  readonly url: string | undefined;
  /** RFC 5545 lines of a series, for services with the extension `recurrences`. */
  readonly recurrences: readonly string[] | undefined;
  readonly label: Ref | undefined;
  readonly attendees: readonly Ref[] | undefined;
}
