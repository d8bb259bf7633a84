import type { Command } from "commander";
import type { ResponseInfo } from "../../api/client.js";
import { checkService, clockSkew, type ServiceCheck } from "../../api/service-check.js";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { hasCode } from "../../errors.js";
import { userView } from "../../events/views/calendar.js";
import type { Run } from "../../run/run.js";
import { type StatusRateLimit, statusView } from "./view.js";

interface StatusOptions {
  /** Send no request. */
  readonly offline?: boolean;
}

export function registerStatus(command: Command, runOf: RunOf): void {
  command.option("--offline", "show only what is configured, without sending a request");
  describeCommand(command, {
    prints: { view: statusView, count: "one" },
    examples: () => [
      ["Is the token good, and how many requests are left?", "calctl status"],
      ["Which service would be used?", "calctl status --offline --jq .base_url"],
    ],
  });
  addAction(command, runOf, runStatus);
}

/** Shows service, account and rate limit. Prints the report even if the service refuses or cannot be reached. */
async function runStatus(run: Run, { offline = false }: StatusOptions): Promise<void> {
  const output = run.output.of(statusView);
  const { profile, baseUrl, tokenSource, tokenError } = await run.session.status();
  const check =
    offline || tokenError !== null ? { ...NOT_CHECKED, error: tokenError } : await checkService(run.api);
  await output.print({
    profile,
    base_url: baseUrl,
    token_source: tokenSource,
    signed_in: signedIn(check),
    user: check.user,
    rate_limit: rateLimitOf(check.response),
    clock_skew_seconds: clockSkew(check),
  });
  if (check.error !== null) throw check.error;
}

const NOT_CHECKED: ServiceCheck = { user: null, response: null, error: null };

/** Null when unknown: no request was sent, or the service did not respond. */
function signedIn({ user, error }: ServiceCheck): boolean | null {
  if (user !== null) return true;
  return hasCode(error, "not_signed_in") ? false : null;
}

function rateLimitOf(response: ResponseInfo | null): StatusRateLimit | null {
  const rateLimit = response?.rateLimit ?? null;
  // JavaScript's dates end at 8.64e12 seconds.
  if (rateLimit === null || rateLimit.reset > 8.64e12) return null;
  const { limit, remaining, reset } = rateLimit;
  return { limit, remaining, reset_at: new Date(reset * 1000).toISOString() };
}

export function registerWhoami(command: Command, runOf: RunOf): void {
  describeCommand(command, {
    prints: { view: userView, count: "one" },
    examples: () => [
      ["My name and id", "calctl whoami"],
      ["My id alone, for a script", "calctl whoami --fields id"],
    ],
  });
  addAction(command, runOf, runWhoami);
}

/** Shows the current user. */
async function runWhoami(run: Run): Promise<void> {
  const output = run.output.of(userView);
  const api = await run.api();
  await output.print(await api.getCurrentUser());
}
