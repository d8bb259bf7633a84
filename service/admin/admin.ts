import type { Calendar, Label, User } from "../../contract/shapes.js";
import type { PasswordCost } from "../secrets.js";
import type { Store } from "../store/store.js";

export interface ServiceUser {
  readonly id: string;
  readonly name: string;
  readonly login: string;
}

export interface ServiceClient {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  /** Only present when the client was just created. */
  readonly client_secret?: string | undefined;
  readonly redirect_uris: readonly string[];
}

export interface ServiceToken {
  readonly id: string;
  readonly user_id: string;
  readonly read_only: boolean;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly created_at: string;
  /** Only present when the token was just created. */
  readonly token?: string | undefined;
}

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

export interface UserAdmin {
  /**
   * @param options.login the name by default; unique, case does not matter
   * @param options.password at least 8 characters
   */
  add(options: {
    readonly name: string;
    readonly login?: string | undefined;
    readonly password?: string | undefined;
  }): Promise<ServiceUser>;
  list(): Promise<ServiceUser[]>;
  /** Also ends the browser sessions of the user. @param password at least 8 characters */
  setPassword(user: string, password: string): Promise<ServiceUser>;
  /** Changes the name that others see; the login stays. Resolves with the user as it is now. */
  rename(user: string, name: string): Promise<ServiceUser>;
  /** Ends all access of a user, who cannot be the one of the profile `local`. Events and comments of the user stay. */
  disable(user: string): Promise<ServiceUser>;
  enable(user: string): Promise<ServiceUser>;
  /** Lifts the lock that failed sign-ins put on the login of a user. Resolves with whether there was one. */
  unlock(user: string): Promise<ServiceUser & { readonly wasLocked: boolean }>;
}

/** A calendar and how many events it has. */
export interface CalendarContent {
  readonly calendar: Calendar;
  readonly events: number;
}

/** What `set` changes; undefined stays. */
export interface CalendarChanges {
  readonly name?: string | undefined;
  readonly color?: string | undefined;
  readonly description?: string | undefined;
}

export interface CalendarAdmin {
  /**
   * Adds a calendar with its ten labels; the owner is its first member.
   * @param options.owner the only user by default
   * @param options.color the next one of the palette by default
   */
  add(options: {
    readonly name: string;
    readonly owner?: string | undefined;
    readonly color?: string | undefined;
  }): Promise<Calendar>;
  list(): Promise<Calendar[]>;
  inspect(calendar: string): Promise<CalendarContent>;
  set(calendar: string, changes: CalendarChanges): Promise<Calendar>;
  /** Removes a calendar with its events, comments, labels and memberships. Resolves with what there was. */
  remove(calendar: string): Promise<CalendarContent>;
}

export interface MemberAdmin {
  add(user: string, calendar: string): Promise<User>;
  /** @throws CliError usage for the last member */
  remove(user: string, calendar: string): Promise<User>;
  list(calendar: string): Promise<User[]>;
}

export interface LabelAdmin {
  set(
    calendar: string,
    number: number,
    changes: { readonly name?: string | undefined; readonly color?: string | undefined },
  ): Promise<Label>;
}

export interface ClientAdmin {
  add(options: {
    readonly name: string;
    readonly redirectUris: readonly string[];
  }): Promise<ServiceClient & { readonly client_secret: string }>;
  list(): Promise<ServiceClient[]>;
  /** Also revokes the tokens that were issued to the client. */
  remove(id: string): Promise<ServiceClient>;
}

export interface TokenAdmin {
  /** @param options.user must not be disabled */
  create(options: {
    readonly user: string;
    readonly readOnly: boolean;
  }): Promise<ServiceToken & { readonly token: string }>;
  list(): Promise<ServiceToken[]>;
  revoke(id: string): Promise<ServiceToken>;
  /** Revokes every token of a user. Resolves with the user's name and how many there were. */
  revokeAll(user: string): Promise<{ readonly name: string; readonly tokens: number }>;
}

export interface LocalUser {
  readonly userId: string;
  /** Names of the user and the calendar if they were created just now, otherwise null. */
  readonly created: { readonly user: string; readonly calendar: string } | null;
}

/**
 * What an operator may do that the API does not offer. Users are given by id, name or login, calendars also by a unique prefix
 * of the name. Every method throws CliError: usage when a value is invalid or a name is ambiguous, not_found.
 */
export interface ServiceAdmin {
  readonly users: UserAdmin;
  readonly calendars: CalendarAdmin;
  readonly members: MemberAdmin;
  readonly labels: LabelAdmin;
  readonly clients: ClientAdmin;
  readonly tokens: TokenAdmin;
  /** The user of the profile `local`. The first process to call it creates the user and a calendar. */
  ensureLocalUser(options: { readonly name: string }): Promise<LocalUser>;
  /**
   * Fills an empty database with two users, the calendars Family and Work, events around today, a token and a client.
   * @throws CliError configuration when the database is not empty
   */
  addSample(): Promise<ServiceSample>;
  /** Makes clients read everything again, after the database was restored. */
  resync(): Promise<Resync>;
}

export type OperationGroup = "users" | "calendars" | "members" | "labels" | "clients" | "tokens";

/** All of it but what concerns every calendar at once. */
export type Operations = Pick<ServiceAdmin, OperationGroup | "ensureLocalUser">;

export interface Resync {
  /** How many there are. */
  readonly calendars: number;
}

export interface AdminOptions {
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly passwordCost?: PasswordCost | undefined;
}
