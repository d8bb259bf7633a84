import { type ErrorCode, EXIT_CODES, EXIT_EMPTY } from "../../errors.js";

/** An exit code as docs/exit-codes.md, `calctl help exit-codes` and `calctl schema` have it. */
export interface ExitCodeRow {
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
const OTHERS: readonly (readonly [exitCode: number, code: ErrorCode | null, ...texts: Texts])[] = [
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
  return [...errors, ...OTHERS]
    .map(([exitCode, code, when, repeat]) => ({ exitCode, code, when, repeat }))
    .sort((one, other) => one.exitCode - other.exitCode);
}
