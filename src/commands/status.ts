import type { Command } from "commander";
import type { ResponseInfo } from "../api/client.js";
import type { Context } from "../context.js";
import type { User } from "../contract/shapes.js";
import { CliError } from "../errors.js";
import { userView } from "../output/views/calendar.js";
import { type StatusRateLimit, statusView } from "../output/views/profile.js";
import type { ContextOf } from "./command.js";

export interface StatusOptions {
  /** Ask nobody. */
  readonly offline: boolean;
}

export function registerStatus(command: Command, contextOf: ContextOf): void {
  command
    .option("--offline", "ask nobody: show what is configured")
    .action(({ offline = false }: Partial<StatusOptions>) => runStatus(contextOf(command), { offline }));
}

/** Shows service, account and rate limit; the report is printed also when the service refuses or is away. */
export async function runStatus(
  context: Pick<Context, "api" | "output" | "session" | "now">,
  { offline }: StatusOptions,
): Promise<void> {
  const output = context.output(statusView);
  const { profile, baseUrl, tokenSource, tokenError } = await context.session.facts();
  const asked = offline || tokenError !== null ? { ...NOBODY, error: tokenError } : await askService(context);
  await output.print({
    profile,
    base_url: baseUrl,
    token_source: tokenSource,
    signed_in: signedIn(asked),
    user: asked.user,
    rate_limit: rateLimitOf(asked.facts),
    clock_skew_seconds: clockSkew(asked),
  });
  if (asked.error !== null) throw asked.error;
}

interface Asked {
  readonly user: User | null;
  readonly facts: ResponseInfo | null;
  /** Middle of the exchange by the clock here, in milliseconds since the Unix epoch. */
  readonly askedAt: number;
  readonly error: unknown;
}

const NOBODY: Asked = { user: null, facts: null, askedAt: 0, error: null };

async function askService({ api, now }: Pick<Context, "api" | "now">): Promise<Asked> {
  let facts: ResponseInfo | null = null;
  const sentAt = now();
  try {
    const client = await api();
    try {
      const user = await client.getCurrentUser();
      return { user, facts: client.lastResponse(), askedAt: (sentAt + now()) / 2, error: null };
    } finally {
      facts = client.lastResponse();
    }
  } catch (error) {
    return { user: null, facts, askedAt: (sentAt + now()) / 2, error };
  }
}

/** Null where it is not known: nobody was asked, or the service did not say. */
function signedIn({ user, error }: Asked): boolean | null {
  if (user !== null) return true;
  return error instanceof CliError && error.code === "not_signed_in" ? false : null;
}

function rateLimitOf(facts: ResponseInfo | null): StatusRateLimit | null {
  const rateLimit = facts?.rateLimit ?? null;
  // 8.64e12 seconds is the end of JavaScript's time.
  if (rateLimit === null || rateLimit.reset > 8.64e12) return null;
  const { limit, remaining, reset } = rateLimit;
  return { limit, remaining, reset_at: new Date(reset * 1000).toISOString() };
}

/** Whole seconds: the `Date` header is no finer. */
function clockSkew({ facts, askedAt }: Asked): number | null {
  const serverTime = facts?.serverTime ?? null;
  return serverTime === null ? null : Math.trunc((askedAt - serverTime) / 1000);
}

export function registerWhoami(command: Command, contextOf: ContextOf): void {
  command.action(() => runWhoami(contextOf(command)));
}

/** Shows the current user. */
export async function runWhoami(context: Pick<Context, "api" | "output">): Promise<void> {
  const output = context.output(userView);
  const api = await context.api();
  await output.print(await api.getCurrentUser());
}
