import type { Start } from "./agenda.js";
import { type ChatTurn, DIGEST_PATHS, LEAST_PATH, type Message, REMIND_PATH } from "./chat.js";

export type Job = "remind" | "least" | "digest";

/** One run of a job, or two at the same second. */
export interface JobRun {
  readonly job: Job;
  readonly exitCodes: readonly number[];
  /** Whether it repeats what is unknown, of a digest everything. */
  readonly again: boolean;
  /** Titles of events, or paths of digests, whose outcome a run has called unknown. */
  readonly unknown: readonly string[];
  /** Starts that a run has called missed. */
  readonly missed: readonly string[];
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
  isSettled(job: Job, start: Start): boolean;
  readonly counts: Readonly<Record<string, number>>;
}

interface Account {
  readonly name: string;
  arrived: number;
  /** How often it was asked for again, after it may have been sent. */
  asked: number;
  reported: number;
  /** An attempt may have sent it, and nobody has said so yet. */
  isOpen: boolean;
  /** It was reported. */
  isUnknown: boolean;
}

export function createAccounts(): Accounts {
  const accounts = new Map<string, Account>();
  const said = new Set<string>();
  const open = (name: string): Account => {
    const made: Account = { name, arrived: 0, asked: 0, reported: 0, isOpen: false, isUnknown: false };
    const account = accounts.get(name) ?? made;
    accounts.set(name, account);
    return account;
  };
  const reminder = (job: Job, { title, start }: Start): Account =>
    open(`${job} of ${title}, ${new Date(start).toISOString()}`);
  /** Those of a message; null where it has what it should not have. */
  const accountsOf = (run: JobRun, { path, events }: Message): readonly Account[] | null => {
    if (run.job === "digest") {
      const isWhole = events.join(", ") === [...run.onDay].sort().join(", ");
      return DIGEST_PATHS.includes(path) && isWhole ? [open(`digest of ${run.date} at ${path}`)] : null;
    }
    if (path !== (run.job === "remind" ? REMIND_PATH : LEAST_PATH)) return null;
    const starts = events.map((title) => run.due.find((start) => start.title === title));
    return starts.flatMap((start) => (start === undefined ? [] : [reminder(run.job, start)]));
  };
  /** What the run is about. */
  const expected = (run: JobRun): readonly Account[] => {
    if (run.job !== "digest") return run.due.map((start) => reminder(run.job, start));
    return run.onDay.length === 0 ? [] : DIGEST_PATHS.map((path) => open(`digest of ${run.date} at ${path}`));
  };
  const countArrived = (run: JobRun, { arrived }: ChatTurn): string | null => {
    for (const message of arrived) {
      const found = accountsOf(run, message);
      const isOther = run.job !== "digest" && found?.length !== message.events.length;
      if (found === null || isOther) return `"${message.events}" arrived at ${message.path}, and was not due`;
      for (const account of found) {
        account.arrived += 1;
        if (account.arrived > 1 + account.asked) return `${account.name} arrived once too often`;
      }
    }
    return null;
  };
  const reportedAccount = (run: JobRun, name: string): Account | undefined =>
    run.job === "digest"
      ? open(`digest of ${run.date} at ${name}`)
      : run.due.filter(({ title }) => title === name).map((start) => reminder(run.job, start))[0];
  const countReports = (run: JobRun): string | null => {
    if (run.unknown.length > 0 && !run.exitCodes.includes(9)) return "an unknown outcome was not exit 9";
    // Of two runs at once, the one that has waited for the other reports its unknown outcome, too.
    for (const name of new Set(run.unknown)) {
      const account = reportedAccount(run, name);
      if (account === undefined) return `"${name}" was reported, and was not due`;
      account.reported += 1;
      if (account.reported > 1 + account.asked) return `${account.name} was reported once too often`;
      if (!account.isOpen) return `${account.name} was reported for no reason`;
      account.isOpen = false;
      account.isUnknown = true;
    }
    return null;
  };
  const countMissed = ({ job, missed }: JobRun): string | null => {
    const repeated = missed.find((start) => said.has(`${job} ${start}`));
    for (const start of missed) said.add(`${job} ${start}`);
    return repeated === undefined ? null : `${repeated} was called missed twice`;
  };
  /** What may arrive once more than it did, and of what nobody can know whether it has arrived. */
  const noteUncertain = (run: JobRun): void => {
    // What no run has reported yet is unknown too.
    const repeated = expected(run).filter(
      ({ isUnknown, isOpen }) => run.job === "digest" || isUnknown || isOpen,
    );
    for (const account of run.again ? repeated : []) account.asked += 1;
    const unclear = run.turn.unclear.flatMap((message) => accountsOf(run, message) ?? []);
    for (const account of run.crashed ? expected(run) : unclear) {
      account.isOpen = true;
      // What is sent at least once is asked for again by each attempt of which nobody knows.
      if (run.job === "least") account.asked += 1;
    }
  };
  const isDone = ({ arrived, reported }: Account) => arrived > 0 || reported > 0;
  return {
    check(run) {
      noteUncertain(run);
      const problem = judgeExit(run) ?? countArrived(run, run.turn) ?? countReports(run) ?? countMissed(run);
      const missing = run.crashed ? undefined : expected(run).find((account) => !isDone(account));
      return problem ?? (missing === undefined ? null : judgeMissing(run, missing.name));
    },
    isSettled(job, start) {
      const account = reminder(job, start);
      return job === "least" ? account.arrived > 0 : isDone(account);
    },
    get counts() {
      const all = [...accounts.values()];
      const count = (test: (account: Account) => boolean) => all.filter(test).length;
      return {
        "messages that arrived once": count(({ arrived }) => arrived === 1),
        "messages that arrived again, as asked for": count(({ arrived }) => arrived > 1),
        "messages reported": count(({ reported }) => reported > 0),
        "messages that failed aloud": count((account) => !isDone(account)),
        "starts called missed": said.size,
      };
    },
  };
}

function judgeExit({ job, clean, outage, exitCodes }: JobRun): string | null {
  if (clean && !outage && exitCodes.some((code) => code !== 0 && code !== 9))
    return "it failed, though nothing else did";
  return job === "least" && exitCodes.includes(9) ? "at least once, but exit 9" : null;
}

/** What has not arrived must have failed, and the run must have said so. */
function judgeMissing({ clean, exitCodes }: JobRun, name: string): string | null {
  if (clean) return `${name} did not arrive, though nothing failed`;
  return exitCodes.every((code) => code === 0) ? `${name} was lost in silence` : null;
}
