import type { Variable } from "../../config/environment.js";
import { type ErrorCode, EXIT_CODES, EXIT_EMPTY } from "../../errors.js";
import { type HelpPage, type HelpTerm, termsSection } from "./page.js";

/** What every environment variable does, for `calctl help environment`, docs/scripting.md and the manual page. */

const OWN: Readonly<Record<Variable, string>> = {
  CALCTL_PROFILE: "the profile: which service and account",
  CALCTL_CALENDAR: "the default calendar: id, name or unique prefix of a name",
  CALCTL_OUTPUT: "the output format, for commands that support it",
  CALCTL_TIMEZONE: "the time zone in which times are read and shown",
  CALCTL_NO_INPUT: "never prompt",
  CALCTL_DEBUG: "show requests and responses on stderr, secrets masked",
  CALCTL_TIMEOUT: "timeout of one HTTP request in seconds",
  CALCTL_RETRIES: "number of retries of requests that are safe to repeat",
  CALCTL_MAX_WAIT: "longest total wait for a rate limit in seconds",
  CALCTL_TOKEN: "the access token",
  CALCTL_TOKEN_FILE: "file with the access token",
  CALCTL_BASE_URL: "the URL of the service; no profile is needed",
  CALCTL_AUTH_URL: "for `login`: the URL of the authorization server",
  CALCTL_CLIENT_ID: "for `login`: the id of your OAuth application",
  CALCTL_CLIENT_SECRET: "for `login`: the secret of your OAuth application",
  CALCTL_WEBHOOK_URL: "the URL of a webhook, or the token of a Telegram bot; needs `--as`, excludes `--to`",
  CALCTL_WEBHOOK_URL_FILE: "file with that URL or token",
  CALCTL_SERVICE_DB: "the database of `service` commands without `--db`: `sqlite:PATH` or `postgres://…`",
  CALCTL_CONFIG_DIR: "the folder of the configuration, instead of `calctl` in `XDG_CONFIG_HOME`",
  CALCTL_DATA_DIR:
    "the folder with the calendars of the profile `local`, instead of `calctl` in `XDG_DATA_HOME`",
  CALCTL_STATE_DIR: "the folder of state kept between runs, instead of `calctl` in `XDG_STATE_HOME`",
  CALCTL_CACHE_DIR:
    "the folder of files that can be deleted at any time, instead of `calctl` in `XDG_CACHE_HOME`",
};

const FOREIGN: Readonly<Record<string, string>> = {
  CI: "never prompt",
  CREDENTIALS_DIRECTORY:
    "set by systemd: the folder with `calctl-token` (access token) and `calctl-webhook-url` (webhook URL)",
  FORCE_COLOR: "use colors in pipes, too",
  HTTPS_PROXY: "the proxy for the service; also `https_proxy`, `ALL_PROXY` and `all_proxy`",
  NO_COLOR: "use no colors",
  NO_PROXY: "hosts without a proxy; also `no_proxy`",
  NODE_EXTRA_CA_CERTS: "file with additional certificate authorities",
  PAGER: "pager for output longer than the screen (default: `less`); empty or `cat` for none",
  PGPASSFILE: "file with PostgreSQL passwords, instead of `~/.pgpass`",
  PGPASSWORD: "the password of the PostgreSQL server, if its URL has none",
  TZ: "the time zone, unless `--timezone` or the profile sets one",
};

/** The program's own variables, then those of others that it reads. */
export function environmentRows() {
  return Object.entries({ ...OWN, ...FOREIGN }).map(([name, meaning]) => ({ name, meaning }));
}

/** The variables as terms. */
export function environmentTerms(): readonly HelpTerm[] {
  return environmentRows().map(({ name, meaning }) => [name, meaning.replaceAll("`", "")]);
}

/** Where files are on Linux. */
export function filesSection(): HelpPage {
  return termsSection("Files", [
    ["~/.config/calctl/config.json", "profiles and their settings, targets without their URLs"],
    ["~/.local/share/calctl/local.db", "the calendars of the profile local"],
    ["~/.local/share/calctl/tokens", "tokens and webhook URLs of --insecure-storage"],
    ["~/.local/state/calctl", "state kept between runs: changes, imports, sent messages"],
    ["~/.cache/calctl", "recent ids and names, rate limits, compiled code"],
  ]);
}

/** An exit code as docs/exit-codes.md, `calctl help exit-codes` and `calctl schema` have it. */
interface ExitCodeRow {
  readonly exitCode: number;
  /** `code` of the error in JSON; null where there is no error. */
  readonly code: ErrorCode | null;
  readonly when: string;
  /** Whether the call can be repeated. Empty where nothing failed. */
  readonly repeat: string;
}

type Texts = readonly [when: string, repeat: string];

const AFTER_SIGNAL = "yes, but only after checking if stderr says that a write was in progress";

const ERRORS: Readonly<Record<ErrorCode, Texts>> = {
  failed: [
    "a bug of calctl, output that could not be written, or a program of `remind` that failed; stderr says what was already done",
    "after checking",
  ],
  usage: [
    "a flag, an argument or a value, from the environment too, is invalid or missing",
    "no, nothing was written",
  ],
  not_signed_in: [
    "no token for this service, the service refused it (401), or a sign-in that was declined, refused or never completed",
    "after signing in",
  ],
  not_found: ["404, or a calendar, label, member or target that does not exist", "no"],
  forbidden: [
    "the token or its owner may not do this (403), or a target refuses the URL or the bot (401, 403)",
    "no",
  ],
  rate_limited: [
    "the rate limit of the service, or of a target, is used up for longer than `--max-wait` (429)",
    "later: the hint says when",
  ],
  unavailable: [
    "the service or a target cannot be reached, or a mail program cannot send now. Also a timeout, a response cut short or a 5xx, where repeating is safe: reads, updates, deletions, and creates and comments with `--key`",
    "yes, safely; a deletion that had succeeded then exits with 5",
  ],
  outcome_unknown: [
    "a create, comment or message was sent, and its outcome is unknown. There was no response, a 5xx or a success that cannot be read, and the command had no `--key`. Or a mail program was killed or may try again by itself. Or an `events update` with `--if-unchanged` or `--edit` got no response, and the event is neither as it was nor as written",
    "only after checking: it could be done twice",
  ],
  configuration: [
    "a broken configuration, database or token source, a locked, silent or missing keychain, a busy redirect port, an unknown profile or none in use, a target whose URL is missing or wrong, no `sendmail`, a URL that is not https, an untrusted certificate, a proxy that refuses or cannot be used",
    "after fixing it",
  ],
  rejected: [
    "the service, a target or a mail program refused the request (400, 406, other 4xx), redirects elsewhere or sent a response that does not match the contract, a target no longer exists (404, 410), or nothing in a file could be imported; the message says if a write may have been done anyway",
    "no",
  ],
  partial: ["some of several items succeeded; stderr lists the rest", "for the rest"],
  changed: [
    "the event was changed meanwhile (`--if-unchanged`, `--edit`, `events move`, `undo`); nothing was written",
    "after reading it again",
  ],
  interrupted: [
    "Ctrl-C, Ctrl-D or Escape at a prompt, a confirmation answered with no, or an editor that ended with an error",
    AFTER_SIGNAL,
  ],
};

/** Other signals than the one of Ctrl-C, and successes. */
const OTHER_CODES: readonly (readonly [exitCode: number, code: ErrorCode | null, ...texts: Texts])[] = [
  [0, null, "done", ""],
  [
    EXIT_EMPTY,
    null,
    "nothing found, only with `--fail-empty`; the empty result is printed and there is no error",
    "yes",
  ],
  [129, "interrupted", "SIGHUP, such as from a terminal that was closed", AFTER_SIGNAL],
  [143, "interrupted", "SIGTERM", AFTER_SIGNAL],
];

/** Every exit code, in ascending order. */
export function exitCodeRows(): readonly ExitCodeRow[] {
  const codes = Object.keys(EXIT_CODES) as readonly ErrorCode[];
  const errors = codes.map((code) => [EXIT_CODES[code], code, ...ERRORS[code]] as const);
  return [...errors, ...OTHER_CODES]
    .map(([exitCode, code, when, repeat]) => ({ exitCode, code, when, repeat }))
    .sort((one, other) => one.exitCode - other.exitCode);
}
