import { DAY_MS, MINUTE_MS } from "../../contract/date-time.js";
import { hashSecret } from "../secrets.js";
import type { SignInAttemptsRow } from "./schema.js";
import { marks } from "./sql.js";
import type { Transaction } from "./store.js";
import { loginKey } from "./users.js";

/**
 * Failed sign-ins are counted per window of the clock (ms); windows begin at multiples of their length. So a clock that
 * jumps, forward or back, never locks for longer than one window, and gives one more window of attempts at most: when
 * it shows an earlier time again, or another process has another time, what was counted in that window counts again.
 */
const WINDOW = 15 * MINUTE_MS;

/** How long counters are kept (ms): as long as a clock may be ahead for a while without forgetting those of now. */
const RETENTION = DAY_MS;

/** How long an address is known at a login, from its last sign-in there (ms). */
const KNOWN_FOR = 30 * DAY_MS;

/** Failures per window for one login from one address, and for one address. */
const LOGIN_AND_ADDRESS_LIMIT = 5;
const ADDRESS_LIMIT = 20;

/**
 * Failures per window for one login. Anyone can exhaust it, so it must not lock the user out: beyond it, an address is
 * let in if it has signed in to this login before, or has no failure there in this window. Together N addresses thus
 * have at most 100 + N guesses of one login per window, and 5 from each address where the user has signed in.
 * @see NIST SP 800-63B §5.2.2
 */
const LOGIN_LIMIT = 100;

export interface SignInAttempt {
  /** What counts as one client, see ClientAddressReader. */
  readonly address: string;
  /** As typed. */
  readonly login: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The scope of a write that counts the attempt, or that it succeeded. */
export function scopeOfAttempt({ address, login }: SignInAttempt): readonly string[] {
  return [`sign-in ${loginKey(login)}`, `sign-in from ${address}`];
}

/** Null if an attempt is allowed, otherwise the seconds until the next one is. */
export async function findWait(db: Transaction, attempt: SignInAttempt): Promise<number | null> {
  const { now } = attempt;
  return (await isAllowed(db, keysOf(attempt), now)) ? null : secondsLeft(now);
}

function secondsLeft(now: number): number {
  return Math.ceil((windowStart(now) + WINDOW - now) / 1000);
}

/**
 * Counts an attempt. Call it before the password is checked, so that parallel attempts are all counted. Resolves like
 * `findWait`; an attempt that is not allowed is not counted.
 */
export async function countAttempt(db: Transaction, attempt: SignInAttempt): Promise<number | null> {
  const { now } = attempt;
  const keys = keysOf(attempt);
  await forgetAttempts(db, now);
  const wait = await findWait(db, attempt);
  if (wait !== null) return wait;
  await addAttempt(db, [keys.both, keys.address, keys.login], now);
  return null;
}

async function forgetAttempts(db: Transaction, now: number): Promise<void> {
  await db.run(
    "delete from sign_in_attempts where window_start <= ? and key not like ?",
    now - RETENTION,
    `${KNOWN} %`,
  );
}

async function addAttempt(db: Transaction, counters: readonly string[], now: number): Promise<void> {
  const rows = counters.map(() => "(?, ?, 1)").join(", ");
  await db.run(
    `insert into sign_in_attempts (key, window_start, attempts) values ${rows}
    on conflict (key) do update set attempts = sign_in_attempts.attempts + 1`,
    ...counters.flatMap((key) => [key, windowStart(now)]),
  );
}

/**
 * Guesses of secret addresses, counted like failed sign-ins: those that an address may make in a window. Null if it may make
 * another one, otherwise the seconds until it may.
 */
export async function findWaitOfGuesses(db: Transaction, guess: Guess): Promise<number | null> {
  const [row] = await db.all<Pick<SignInAttemptsRow, "attempts">>(
    "select attempts from sign_in_attempts where key = ?",
    keyOfGuesses(guess),
  );
  return (row?.attempts ?? 0) < ADDRESS_LIMIT ? null : secondsLeft(guess.now);
}

export async function countGuess(db: Transaction, guess: Guess): Promise<void> {
  await forgetAttempts(db, guess.now);
  await addAttempt(db, [keyOfGuesses(guess)], guess.now);
}

export type Guess = Pick<SignInAttempt, "address" | "now">;

function keyOfGuesses({ address, now }: Guess): string {
  return `${hashSecret(`feeds ${address}`)} ${windowStart(now)}`;
}

async function isAllowed(db: Transaction, keys: AttemptKeys, now: number): Promise<boolean> {
  const values = Object.values(keys);
  const rows = await db.all<SignInAttemptsRow>(
    `select key, window_start, attempts from sign_in_attempts where key in (${marks(values.length)})`,
    ...values,
  );
  const attempts = (key: string) => rows.find((row) => row.key === key)?.attempts ?? 0;
  if (attempts(keys.both) >= LOGIN_AND_ADDRESS_LIMIT || attempts(keys.address) >= ADDRESS_LIMIT) return false;
  if (attempts(keys.login) < LOGIN_LIMIT || attempts(keys.both) === 0) return true;
  const known = rows.find(({ key }) => key === keys.known);
  return known !== undefined && known.window_start > now - KNOWN_FOR;
}

/**
 * Call it when an attempt succeeded: it no longer counts, the count of its login at its address is reset, and the
 * address is known at the login.
 */
export async function recordSignIn(db: Transaction, attempt: SignInAttempt): Promise<void> {
  const { now } = attempt;
  const keys = keysOf(attempt);
  await db.run(
    "delete from sign_in_attempts where key = ? or (key like ? and window_start <= ?)",
    keys.both,
    `${KNOWN} %`,
    now - KNOWN_FOR,
  );
  await db.run(
    "update sign_in_attempts set attempts = attempts - 1 where key in (?, ?) and attempts > 0",
    keys.address,
    keys.login,
  );
  await db.run(
    `insert into sign_in_attempts (key, window_start, attempts) values (?, ?, 0)
    on conflict (key) do update set window_start = excluded.window_start`,
    keys.known,
    now,
  );
}

/**
 * Deletes the counters of a login, also those of single addresses. Resolves with whether one of them has reached its
 * limit in this window.
 */
export async function unlockLogin(
  db: Transaction,
  { login, now }: Pick<SignInAttempt, "login" | "now">,
): Promise<boolean> {
  const counter = loginCounter(login);
  const rows = await db.all<SignInAttemptsRow>(
    "delete from sign_in_attempts where key like ? returning key, window_start, attempts",
    `${counter} %`,
  );
  return rows.some(({ key, attempts, window_start }) => {
    const isOfLogin = key === `${counter} ${window_start}`;
    return (
      window_start === windowStart(now) && attempts >= (isOfLogin ? LOGIN_LIMIT : LOGIN_AND_ADDRESS_LIMIT)
    );
  });
}

/** First word of the key of an address that is known at a login: `window_start` is then when it last signed in. */
const KNOWN = "known";

interface AttemptKeys {
  readonly login: string;
  readonly address: string;
  readonly both: string;
  readonly known: string;
}

/** Keys of the rows of an attempt. Those of its login begin with the login's hash, so that they can be unlocked. */
function keysOf({ address, login, now }: SignInAttempt): AttemptKeys {
  const window = windowStart(now);
  const [ofLogin, ofAddress] = [loginCounter(login), hashSecret(`address ${address}`)];
  return {
    login: `${ofLogin} ${window}`,
    address: `${ofAddress} ${window}`,
    both: `${ofLogin} ${ofAddress} ${window}`,
    known: `${KNOWN} ${ofLogin} ${ofAddress}`,
  };
}

function loginCounter(login: string): string {
  return hashSecret(`login ${loginKey(login)}`);
}

function windowStart(now: number): number {
  return Math.floor(now / WINDOW) * WINDOW;
}
