import { dateToInstant, HOUR_MS, instantToDate } from "../../contract/date-time.js";
import { configurationError } from "../../src/errors.js";
import { SINGLE } from "../occurrence.js";
import { createHexId, createSecret, createUserId, hashPassword } from "../secrets.js";
import { addMember } from "../store/calendars.js";
import { type EventWithAttendees, insertEvent } from "../store/events.js";
import { advanceRevision } from "../store/revisions.js";
import type { Transaction } from "../store/store.js";
import { insertUser, listAllUsers, type NewUser } from "../store/users.js";
import { addCalendar } from "./calendars.js";
import { addClient, addToken } from "./credentials.js";
import type { AdminOptions } from "./input.js";
import type { ServiceUser } from "./users.js";

/** Everything needed to try the service, including secrets. */
export interface ServiceSample {
  readonly token: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_uris: readonly string[];
  readonly user: SampleUser;
  /** The other member of both calendars. */
  readonly other_user: SampleUser;
}

type SampleUser = ServiceUser & { readonly password: string };

const REDIRECT_URI = "http://127.0.0.1:8788/callback";

/**
 * Fills an empty database with sample data. Secrets are random, days are in UTC.
 * @throws CliError configuration when the database is not empty
 */
export async function addSample({ store, now, passwordCost }: AdminOptions): Promise<ServiceSample> {
  // Random like client secrets: they are copied, not typed.
  const [password, otherPassword] = [createSecret(), createSecret()];
  const password_hash = await hashPassword(password, passwordCost);
  const otherHash = await hashPassword(otherPassword, passwordCost);
  return store.write(async (db) => {
    if ((await listAllUsers(db)).length > 0) {
      throw configurationError("--sample needs an empty database, and this one has users", {
        hint: "give --memory, or --db with a new file",
      });
    }
    const user = await addUser(db, { name: "sample", password_hash, created_at: now() });
    const guest = await addUser(db, { name: "guest", password_hash: otherHash, created_at: now() });
    await addCalendars(db, { owner: user.id, guest: guest.id, now: now() });
    const { token } = await addToken(db, { userId: user.id, readOnly: false, now: now() });
    const { client_id, client_secret, redirect_uris } = await addClient(db, {
      name: "Sample client",
      redirectUris: [REDIRECT_URI],
      now: now(),
    });
    const users = { user: { ...user, password }, other_user: { ...guest, password: otherPassword } };
    return { token, client_id, client_secret, redirect_uris, ...users };
  });
}

async function addUser(db: Transaction, fields: Omit<NewUser, "id" | "login">): Promise<ServiceUser> {
  const user = { id: createUserId(), name: fields.name, login: fields.name };
  await insertUser(db, { ...user, ...fields });
  return user;
}

interface SampleMembers {
  readonly owner: string;
  readonly guest: string;
  readonly now: number;
}

async function addCalendars(db: Transaction, members: SampleMembers): Promise<void> {
  const { owner, guest, now } = members;
  const family = await addCalendar(db, { name: "Family", ownerId: owner, now });
  const work = await addCalendar(db, { name: "Work", ownerId: owner, color: "#47b2f7", now });
  for (const [{ id }, events] of [[family, FAMILY_EVENTS] as const, [work, WORK_EVENTS] as const]) {
    await addMember(db, { calendarId: id, userId: guest });
    for (const event of events) {
      const revision = await advanceRevision(db, id);
      await insertEvent(db, { ...eventOf(event, id, members), revision });
    }
  }
}

interface SampleEvent {
  readonly title: string;
  /** Hours after midnight UTC of today; absent in a keep without times. */
  readonly span?: readonly [start: number, end: number];
  readonly allDay?: boolean;
  readonly label: number;
  readonly description?: string;
  readonly location?: string;
  /** Whether both users attend. */
  readonly attended?: boolean;
}

const FAMILY_EVENTS: readonly SampleEvent[] = [
  { title: "Dentist", span: [-15, -14], label: 6, location: "Main Street 1" },
  { title: "Breakfast together", span: [8, 9], label: 1, attended: true },
  { title: "Swimming lesson", span: [16, 17], label: 3, location: "Indoor pool" },
  { title: "Weekend trip", span: [24, 72], allDay: true, label: 9, attended: true },
  { title: "Film night", span: [44, 46.5], label: 10, description: "Everyone names one film." },
  { title: "Ideas for presents", label: 8, description: "A book, a kite, concert tickets" },
];

const WORK_EVENTS: readonly SampleEvent[] = [
  { title: "Stand-up", span: [9, 9.25], label: 3, attended: true },
  { title: "Release day", span: [0, 24], allDay: true, label: 6 },
  { title: "Review", span: [13, 14], label: 2, location: "Room 2", attended: true },
  { title: "Stand-up", span: [33, 33.25], label: 3, attended: true },
  { title: "Planning", span: [82, 84], label: 9, description: "Bring numbers of last month." },
  { title: "Questions for the next review", label: 1 },
];

function eventOf(
  event: SampleEvent,
  calendarId: string,
  { owner, guest, now }: SampleMembers,
): EventWithAttendees {
  const today = dateToInstant(instantToDate(now));
  const [start, end] = event.span ?? [];
  const zone = event.span === undefined ? null : "UTC";
  return {
    row: {
      ...SINGLE,
      id: createHexId(),
      calendar_id: calendarId,
      category: event.span === undefined ? "keep" : "schedule",
      title: event.title,
      all_day: event.allDay === true ? 1 : 0,
      start_at: start === undefined ? null : today + start * HOUR_MS,
      start_timezone: zone,
      end_at: end === undefined ? null : today + end * HOUR_MS,
      end_timezone: zone,
      description: event.description ?? "",
      location: event.location ?? "",
      url: "",
      label_number: event.label,
      creator_id: owner,
      created_at: now,
      updated_at: now,
    },
    attendeeIds: event.attended === true ? [owner, guest] : [],
  };
}
