import type { Calendar, Label, User } from "../contract/shapes.js";
import type { PasswordCost } from "./passwords.js";
import type { Store } from "./store/sqlite/open.js";

export interface ServiceUser {
  readonly id: string;
  readonly name: string;
  readonly login: string;
}

export interface ServiceClient {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  readonly redirect_uris: readonly string[];
}

export interface ServiceToken {
  readonly id: string;
  readonly user_id: string;
  readonly read_only: boolean;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly created_at: string;
}

/** Everything needed to try the service, secrets included. */
export interface ServiceSample {
  readonly token: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_uris: readonly string[];
  readonly user: ServiceUser & { readonly password: string };
}

export interface UserAdmin {
  /** @param options.login the name by default; unique without regard to case */
  add(options: {
    readonly name: string;
    readonly login?: string | undefined;
    readonly password?: string | undefined;
  }): Promise<ServiceUser>;
  list(): Promise<ServiceUser[]>;
  /** Also ends the browser sessions of the user. */
  setPassword(user: string, password: string): Promise<ServiceUser>;
  /** Takes every right from a user, but not from that of the profile `local`; what the user has written stays. */
  disable(user: string): Promise<ServiceUser>;
}

export interface CalendarAdmin {
  /** Adds a calendar with its ten labels; the owner is its first member. */
  add(options: {
    readonly name: string;
    readonly owner: string;
    readonly color?: string | undefined;
  }): Promise<Calendar>;
  list(): Promise<Calendar[]>;
}

export interface MemberAdmin {
  add(user: string, calendar: string): Promise<User>;
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
  /** Ends the tokens of its logins too. */
  remove(id: string): Promise<ServiceClient>;
}

export interface TokenAdmin {
  /** @param options.user one who is not disabled */
  create(options: {
    readonly user: string;
    readonly readOnly: boolean;
  }): Promise<ServiceToken & { readonly token: string }>;
  list(): Promise<ServiceToken[]>;
  revoke(id: string): Promise<ServiceToken>;
}

export interface LocalUser {
  readonly userId: string;
  /** The names of what was made; null when it was there. */
  readonly created: { readonly user: string; readonly calendar: string } | null;
}

/**
 * What the API does not offer. Users are named by name or id, calendars also by the unique beginning of a name.
 * Every member throws CliError: usage when a value is wrong or a name fits several, not_found when nothing bears it.
 */
export interface ServiceAdmin {
  readonly users: UserAdmin;
  readonly calendars: CalendarAdmin;
  readonly members: MemberAdmin;
  readonly labels: LabelAdmin;
  readonly clients: ClientAdmin;
  readonly tokens: TokenAdmin;
  /** The user of the profile `local`, made with one calendar by whichever process comes first. */
  ensureLocalUser(options: { readonly name: string }): Promise<LocalUser>;
  /**
   * Fills an empty database with two users, the calendars Family and Work, events around today, a token and a client.
   * @throws CliError configuration when the database is not empty
   */
  addSample(): Promise<ServiceSample>;
}

export interface AdminOptions {
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly passwordCost?: PasswordCost | undefined;
}
