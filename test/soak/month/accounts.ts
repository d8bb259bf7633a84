import type { Start } from "./agenda.js";
import { type ChatTurn, DIGEST_PATH, REMIND_PATH } from "./chat.js";

/** One run of a job, or two at the same second. */
export interface JobRun {
  readonly job: "remind" | "digest";
  readonly exitCodes: readonly number[];
  /** Titles of events whose outcome a run has called unknown. */
  readonly unknown: readonly string[];
  /** It was killed, so that nobody has its exit code. */
  readonly crashed: boolean;
  /** Nothing that it asked for failed, so that it has no excuse. */
  readonly clean: boolean;
  /** One of the calendars cannot be read. */
  readonly outage: boolean;
  readonly turn: ChatTurn;
  /** What was to be announced when it began, from calendars that can be read. */
  readonly due: readonly Start[];
  /** The day of the digest, and the titles that are to be in it. */
  readonly date: string;
  readonly onDay: readonly string[];
}

/** The books on what had to arrive. Each check returns the first thing that is wrong, or null. */
export interface Accounts {
  check(run: JobRun): string | null;
  isSettled(start: Start): boolean;
  /** Whether a person who looks into the chat misses the digest that a run has called unknown. */
  missesDigest(date: string): boolean;
  readonly counts: Readonly<Record<string, number>>;
}

interface Account {
  arrived: number;
  reported: number;
  /** An attempt may have sent it, and nobody has said so yet. */
  isOpen: boolean;
}

export function createAccounts(): Accounts {
  const reminders = new Map<string, Account>();
  const digests = new Map<string, Account>();
  const reminderOf = (start: Start): Account => accountOf(reminders, nameOf(start));
  return {
    check(run) {
      const { clean, outage, exitCodes } = run;
      if (clean && !outage && exitCodes.some((code) => code !== 0 && code !== 9))
        return "it failed, though nothing else did";
      return run.job === "remind"
        ? checkReminders(run, reminderOf)
        : checkDigest(run, accountOf(digests, run.date));
    },
    isSettled(start) {
      const account = reminders.get(nameOf(start));
      return account !== undefined && isDone(account);
    },
    missesDigest(date) {
      const { arrived, reported } = accountOf(digests, date);
      return reported > 0 && arrived === 0;
    },
    get counts() {
      const [all, days] = [[...reminders.values()], [...digests.values()]];
      return {
        "reminders that arrived": all.filter(({ arrived }) => arrived === 1).length,
        "reminders reported": all.filter(({ reported }) => reported === 1).length,
        "reminders that failed aloud": all.filter((account) => !isDone(account)).length,
        "digests that arrived": days.filter(({ arrived }) => arrived === 1).length,
        "digests reported": days.filter(({ reported }) => reported > 0).length,
      };
    },
  };
}

function accountOf(accounts: Map<string, Account>, key: string): Account {
  const account = accounts.get(key) ?? { arrived: 0, reported: 0, isOpen: false };
  accounts.set(key, account);
  return account;
}

function nameOf({ title, start }: Start): string {
  return `${title}, ${new Date(start).toISOString()}`;
}

function isDone({ arrived, reported }: Account): boolean {
  return arrived > 0 || reported > 0;
}

type FindAccount = (start: Start) => Account;

function checkReminders(run: JobRun, find: FindAccount): string | null {
  const problem = countReminders(run, find) ?? countReports(run, find);
  if (problem !== null) return problem;
  if (run.crashed) {
    for (const start of run.due) find(start).isOpen = true;
    return null;
  }
  const missing = run.due.find((start) => !isDone(find(start)));
  return missing === undefined ? null : judgeMissing(run, nameOf(missing));
}

/** What has not arrived must have failed, and the run must have said so. */
function judgeMissing({ clean, exitCodes }: JobRun, name: string): string | null {
  if (clean) return `${name} did not arrive, though nothing failed`;
  return exitCodes.every((code) => code === 0) ? `${name} was lost in silence` : null;
}

function countReminders({ due, turn }: JobRun, find: FindAccount): string | null {
  for (const { events, path } of turn.arrived) {
    const start = due.find(({ title }) => title === events[0]);
    if (start === undefined || path !== REMIND_PATH) return `"${events}" arrived at ${path}, and was not due`;
    const account = find(start);
    account.arrived += 1;
    if (account.arrived > 1) return `${nameOf(start)} arrived twice`;
  }
  return null;
}

function countReports({ unknown, due, turn, exitCodes }: JobRun, find: FindAccount): string | null {
  if (unknown.length > 0 && !exitCodes.includes(9)) return "an unknown outcome was not exit 9";
  for (const title of unknown) {
    const start = due.find((each) => each.title === title);
    if (start === undefined) return `"${title}" was reported, and was not due`;
    const account = find(start);
    account.reported += 1;
    if (account.reported > 1) return `${nameOf(start)} was reported twice`;
    if (!account.isOpen && !turn.unclear.includes(title))
      return `${nameOf(start)} was reported for no reason`;
    account.isOpen = false;
  }
  return null;
}

function checkDigest(run: JobRun, account: Account): string | null {
  const name = `the digest of ${run.date}`;
  const problem = countDigests(run, account);
  if (problem !== null) return `${name} ${problem}`;
  account.isOpen ||= run.crashed || run.turn.unclear.length > 0;
  if (run.crashed) return null;
  if (run.exitCodes.includes(9)) {
    account.reported += 1;
    return account.isOpen ? null : `${name} was reported for no reason`;
  }
  if (run.onDay.length === 0 || account.arrived > 0) return null;
  return judgeMissing(run, name);
}

function countDigests({ turn, onDay }: JobRun, account: Account): string | null {
  for (const { events, path } of turn.arrived) {
    if (path !== DIGEST_PATH) return `arrived at ${path}`;
    const [found, expected] = [events, [...onDay].sort()].map((titles) => titles.join(", "));
    if (found !== expected) return `has ${found}, instead of ${expected}`;
    account.arrived += 1;
    if (account.arrived > 1) return "arrived twice";
  }
  return null;
}
