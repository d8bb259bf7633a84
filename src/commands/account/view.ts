import type { User } from "../../../contract/shapes.js";
import type { ProfileKey } from "../../config/config.js";
import type { ProfileSummary } from "../../config/profile-store.js";
import { userText } from "../../events/localized-event.js";
import { INSTANT, userJson, userView } from "../../events/views/calendar.js";
import { describeInstant } from "../../events/views/event-when.js";
import type { ShapeKey, ShapeOf, View } from "../../output/view.js";
import { createPairsView } from "../../output/views/plain.js";

const NOT_SET = "not set";

/** The profiles of `profiles list`. */
export const profileView: View<ProfileSummary> = {
  noun: "profile",
  shape: "profile",
  keys: {
    name: { type: "string", minWidth: 8 },
    base_url: {
      type: "string?",
      about: "null for local",
      header: "Service",
      cell: ({ name, base_url }) => ({ text: formatAddress(name, base_url) }),
    },
    in_use: { type: "boolean" },
  },
  tsv: ["name", "base_url", "in_use"],
};

/** The keys of a profile, and what they mean. */
export const CONFIG_KEYS: Readonly<Record<ProfileKey, string>> = {
  base_url: "URL of the service",
  auth_url: "URL of its authorization server",
  client_id: "id of the OAuth application",
  redirect_uri: "where the authorization server redirects to",
  media_type: "value of Accept",
  calendar: "used where no --calendar is given",
  write_calendar: "where events are made, and nothing else: lists still show every calendar",
  timezone: "zone in which times are read and shown",
  label: "label of new events",
  duration: "length of new events without an end (1h)",
  hours: "24 (default) or 12: how times of day are shown to people, never in data",
  week_start: "first day of a week in week and month: monday (default), sunday or saturday",
  token_command: "program that prints the token: a path, or a JSON array of program and arguments",
  journal: "off keeps no record for calctl undo",
};

/** Keys of a profile with their values; null when not set. */
export type ConfigValues = Readonly<Record<string, string | null>>;

function formatAddress(profile: string, baseUrl: string | null): string {
  return baseUrl ?? (profile === "local" ? "embedded" : NOT_SET);
}

function aboutOf(key: string): Pick<ShapeKey, "about"> {
  const about = Object.entries(CONFIG_KEYS).find(([name]) => name === key)?.[1];
  return about === undefined ? {} : { about };
}

/** The view of `config list`, for the given keys in their order. */
export function createConfigView(profile: string, keys: readonly string[]): View<ConfigValues> {
  const text = (key: string, value: string | null = null) =>
    key === "base_url" ? formatAddress(profile, value) : (value ?? NOT_SET);
  return createPairsView<ConfigValues>({
    noun: "config",
    shape: "config",
    // The keys are what `config set` takes, so they are not turned into words.
    keys: Object.fromEntries(
      keys.map((key) => [
        key,
        {
          type: "string?" as const,
          ...aboutOf(key),
          header: key,
          cell: (values) => ({ text: text(key, values[key]) }),
        },
      ]),
    ),
    tsv: keys,
  });
}

export interface Status {
  /** Null when CALCTL_BASE_URL is used without a profile. */
  readonly profile: string | null;
  readonly base_url: string | null;
  /** Where the token came from; null without a token. */
  readonly token_source: string | null;
  /** Null when unknown. */
  readonly signed_in: boolean | null;
  readonly user: User | null;
  readonly rate_limit: StatusRateLimit | null;
  /** How far the local clock is ahead of the service's; null when unknown. */
  readonly clock_skew_seconds: number | null;
}

export interface StatusRateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly reset_at: string;
}

const RATE_LIMIT: ShapeOf<StatusRateLimit> = {
  shape: "rate_limit",
  keys: {
    limit: { type: "integer", about: "requests in a window" },
    remaining: { type: "integer" },
    reset_at: { type: "string", about: INSTANT },
  },
};

/** The report of `status`. */
export const statusView: View<Status> = createPairsView<Status>({
  noun: "status",
  shape: "status",
  keys: {
    profile: { type: "string?", about: "null where CALCTL_BASE_URL is used without a profile" },
    base_url: {
      type: "string?",
      about: "null for local",
      header: "Service",
      cell: ({ profile, base_url }) => ({
        text: profile === null ? (base_url ?? "") : formatAddress(profile, base_url),
      }),
    },
    token_source: {
      type: "string?",
      about: "where the token comes from; null without one",
      header: "Token from",
      cell: ({ base_url, token_source }) => ({ text: token_source ?? (base_url === null ? "" : NOT_SET) }),
    },
    signed_in: { type: "boolean?", about: "null where it is unknown" },
    user: {
      type: { object: userView, nullable: true },
      json: ({ user }) => userJson(user),
      text: ({ user }) => userText(user),
    },
    rate_limit: {
      type: { object: RATE_LIMIT, nullable: true },
      text: ({ rate_limit }) => rateLimitText(rate_limit, (reset) => reset),
      cell: ({ rate_limit }, clock) => ({
        text: rateLimitText(rate_limit, (reset) => describeInstant(reset, clock)),
      }),
    },
    clock_skew_seconds: { type: "integer?", about: "how far this clock is ahead of the service's" },
  },
  tsv: ["profile", "base_url", "token_source", "signed_in", "user", "rate_limit", "clock_skew_seconds"],
});

function rateLimitText(rateLimit: StatusRateLimit | null, describeTime: (reset: string) => string): string {
  if (rateLimit === null) return "";
  return `${rateLimit.remaining} of ${rateLimit.limit} left until ${describeTime(rateLimit.reset_at)}`;
}
