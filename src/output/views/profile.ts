import type { User } from "../../contract/shapes.js";
import type { View } from "../view.js";
import { userJson, userText } from "./calendar.js";
import { createPairsView } from "./plain.js";

export interface ProfileRow {
  readonly name: string;
  /** Null for `local`, which has no URL. */
  readonly base_url: string | null;
  readonly in_use: boolean;
}

const NOT_SET = "not set";

/** The profiles of `profiles list`. */
export const profileView: View<ProfileRow> = {
  noun: "profile",
  keys: {
    name: { minWidth: 8 },
    base_url: { header: "Service", cell: ({ name, base_url }) => ({ text: formatAddress(name, base_url) }) },
    in_use: {},
  },
  tsv: ["name", "base_url", "in_use"],
};

/** Keys of a profile with their values; null when not set. */
export type ConfigValues = Readonly<Record<string, string | null>>;

function formatAddress(profile: string, baseUrl: string | null): string {
  return baseUrl ?? (profile === "local" ? "embedded" : NOT_SET);
}

/** The view of `config list`, for the given keys in their order. */
export function createConfigView(profile: string, keys: readonly string[]): View<ConfigValues> {
  const text = (key: string, value: string | null = null) =>
    key === "base_url" ? formatAddress(profile, value) : (value ?? NOT_SET);
  return createPairsView<ConfigValues>({
    noun: "config",
    // The keys are what `config set` takes, so they are not turned into words.
    keys: Object.fromEntries(
      keys.map((key) => [key, { header: key, cell: (values) => ({ text: text(key, values[key]) }) }]),
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

/** The report of `status`. */
export const statusView: View<Status> = createPairsView<Status>({
  noun: "status",
  keys: {
    profile: {},
    base_url: {
      header: "Service",
      cell: ({ profile, base_url }) => ({
        text: profile === null ? (base_url ?? "") : formatAddress(profile, base_url),
      }),
    },
    token_source: {
      header: "Token from",
      cell: ({ base_url, token_source }) => ({ text: token_source ?? (base_url === null ? "" : NOT_SET) }),
    },
    signed_in: {},
    user: { json: ({ user }) => userJson(user), text: ({ user }) => userText(user) },
    rate_limit: { text: ({ rate_limit }) => rateLimitText(rate_limit) },
    clock_skew_seconds: {},
  },
  tsv: ["profile", "base_url", "token_source", "signed_in", "user", "rate_limit", "clock_skew_seconds"],
});

function rateLimitText(rateLimit: StatusRateLimit | null): string {
  if (rateLimit === null) return "";
  return `${rateLimit.remaining} of ${rateLimit.limit} left until ${rateLimit.reset_at}`;
}
