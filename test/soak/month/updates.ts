import { type Channel, type ChannelKind, createChannel } from "../../support/chat/channel.js";
import type { ReceivedRequest } from "../../support/fault-steps.js";
import type { WireAnswer } from "../../support/http-bytes.js";
import type { DayEntry } from "./agenda.js";

/** Digests that are changed in place: the channels that show them, and the books on what they have to show. */

export const UPDATE_KINDS: readonly ChannelKind[] = ["discord", "telegram", "slack-bot"];

/** What the channels did in a turn. */
export interface UpdateTurn {
  /** New messages. */
  readonly posted: readonly { readonly kind: ChannelKind; readonly id: string }[];
  /** The last request of each that may have worked. */
  readonly ends: ReadonlyMap<ChannelKind, RequestEnd>;
}

interface RequestEnd {
  readonly isEdit: boolean;
  readonly isAnswered: boolean;
}

export interface Channels {
  /** Null for a path of no channel. */
  kindOf(path: string): ChannelKind | null;
  /** Does what a request asks for. */
  listen(kind: ChannelKind, request: ReceivedRequest): WireAnswer;
  /** Notes how a request ended. @param answer null where there was none */
  note(kind: ChannelKind, request: ReceivedRequest, answer: WireAnswer | null): void;
  take(): UpdateTurn;
  messagesOf(kind: ChannelKind): Channel["messages"];
  readonly counts: Readonly<Record<string, number>>;
}

const PATHS: Readonly<Record<ChannelKind, RegExp>> = {
  discord: /^\/hook\/s3cret/,
  telegram: /^\/bot1:/,
  "slack-bot": /^\/api\/chat\./,
};

export function createChannels(): Channels {
  const channels = new Map(UPDATE_KINDS.map((kind) => [kind, createChannel(kind)]));
  const channelOf = (kind: ChannelKind) => channels.get(kind) ?? createChannel(kind);
  const counts = { "edits without an answer": 0 };
  let posted: { kind: ChannelKind; id: string }[] = [];
  let ends = new Map<ChannelKind, RequestEnd>();
  return {
    kindOf: (path) => UPDATE_KINDS.find((kind) => PATHS[kind].test(path)) ?? null,
    listen(kind, request) {
      const { messages, listen } = channelOf(kind);
      const before = new Set(messages.keys());
      const answer = listen(request);
      for (const id of messages.keys()) if (!before.has(id)) posted.push({ kind, id });
      return answer;
    },
    note(kind, { method, path }, answer) {
      // Another request follows.
      if (/Unknown Message|message to edit not found|message_not_found/.test(String(answer?.body))) return;
      const isAnswered = answer !== null;
      const isEdit = method === "PATCH" || /(?:editMessageText|chat\.update)$/.test(path);
      if (isEdit && !isAnswered) counts["edits without an answer"] += 1;
      ends.set(kind, { isEdit, isAnswered });
    },
    take() {
      const turn = { posted, ends };
      posted = [];
      ends = new Map();
      return turn;
    },
    messagesOf: (kind) => channelOf(kind).messages,
    counts,
  };
}

/** One run of the job, or two at the same second. */
export interface UpdateRun {
  readonly exitCodes: readonly number[];
  readonly crashed: boolean;
  readonly clean: boolean;
  readonly again: boolean;
  readonly date: string;
  /** What the day holds. */
  readonly entries: readonly DayEntry[];
  /** The channels whose outcome a run has called unknown. */
  readonly unknown: readonly string[];
  readonly updates: UpdateTurn;
}

/** What became of the digest of a day in a channel. */
interface Digest {
  readonly kind: ChannelKind;
  readonly name: string;
  posted: number;
  /** How often a person has asked for another one: by sending it again, or by deleting it. */
  asked: number;
  /** The last that was posted. */
  id: string | null;
  /** An attempt may have posted it, and nobody has said so yet. */
  isOpen: boolean;
  /** It was reported: it stays as it is. */
  isLost: boolean;
  /** What it shows, as its sender has noted it; null where that is not certain. */
  shown: string | null;
}

export interface UpdateAccounts {
  /** The first thing that is wrong with a run; null for nothing. */
  check(run: UpdateRun): string | null;
  /** A person has sent the digest again, or taken it as arrived. */
  checkReaction(
    run: Pick<UpdateRun, "date" | "updates">,
    reaction: { readonly kind: string; readonly action: "resend" | "done"; readonly exitCode: number },
  ): string | null;
  /** Whether there is nothing to do. */
  isSettled(date: string, entries: readonly DayEntry[]): boolean;
  /** Whether a person finds a digest of the day in a channel. */
  hasArrived(kind: string, date: string): boolean;
  /** A person deletes the digest of the day. @returns whether there was one */
  remove(kind: ChannelKind, date: string): boolean;
  readonly counts: Readonly<Record<string, number>>;
}

export function createUpdateAccounts({ messagesOf }: Pick<Channels, "messagesOf">): UpdateAccounts {
  const digests = new Map<string, Digest>();
  const counts = { "digests posted": 0, "digests changed in place": 0, "digests posted anew": 0 };
  const open = (kind: ChannelKind, date: string): Digest => {
    const name = `digest of ${date} in ${kind}`;
    const made: Digest = { kind, name, ...NOTHING };
    const digest = digests.get(name) ?? made;
    digests.set(name, digest);
    return digest;
  };
  const textOf = ({ kind, id }: Digest) => (id === null ? undefined : messagesOf(kind).get(id));
  const countPosted = ({ updates: { posted }, date }: Pick<UpdateRun, "updates" | "date">): string | null => {
    for (const { kind, id } of posted) {
      const digest = open(kind, date);
      counts[digest.posted === 0 ? "digests posted" : "digests posted anew"] += 1;
      digest.posted += 1;
      digest.id = id;
      if (digest.posted > 1 + digest.asked) return `${digest.name} was posted once too often`;
    }
    return null;
  };
  const countReports = ({ unknown, exitCodes, date }: UpdateRun): string | null => {
    if (unknown.length > 0 && !exitCodes.includes(9)) return "an unknown outcome was not exit 9";
    for (const kind of UPDATE_KINDS.filter((each) => unknown.includes(each))) {
      const digest = open(kind, date);
      if (!digest.isOpen) return `${digest.name} was called unknown for no reason`;
      digest.isOpen = false;
      digest.isLost = true;
    }
    return null;
  };
  /** What a person asks for, and what nobody can know. */
  const noteUncertain = (run: UpdateRun): void => {
    for (const kind of UPDATE_KINDS) {
      const digest = open(kind, run.date);
      if (run.again) digest.asked += 1;
      if (run.crashed) Object.assign(digest, { isOpen: !digest.isLost, shown: null });
      else noteEnd(digest, run);
    }
  };
  const noteEnd = (digest: Digest, { entries, exitCodes, updates: { ends } }: UpdateRun): void => {
    const end = ends.get(digest.kind);
    // Without a request, the run before has noted how it ended, even if it was killed.
    if (end === undefined) digest.isOpen &&= exitCodes.some((code) => code !== 0);
    else if (!end.isAnswered) Object.assign(digest, { isOpen: !end.isEdit, shown: null });
    else {
      if (end.isEdit) counts["digests changed in place"] += 1;
      Object.assign(digest, { isOpen: false, isLost: false, shown: describe(entries) });
    }
  };
  const checkShown = (digest: Digest, { entries, exitCodes }: UpdateRun): string | null => {
    if (digest.isLost || digest.isOpen || exitCodes.some((code) => code !== 0)) return null;
    const text = textOf(digest);
    const wrong = text === undefined ? judgeAbsent(digest, entries) : findDifference(text, entries);
    if (wrong === null && text !== undefined) digest.shown = describe(entries);
    return wrong && `${digest.name} ${wrong}`;
  };
  return {
    check(run) {
      noteUncertain(run);
      const problem = countPosted(run) ?? countReports(run);
      if (problem !== null || run.crashed) return problem;
      const wrong = judgeExit(run) ?? UPDATE_KINDS.map((kind) => checkShown(open(kind, run.date), run));
      return typeof wrong === "string" ? wrong : (wrong.find((found) => found !== null) ?? null);
    },
    checkReaction(run, { kind, action, exitCode }) {
      const digest = open(kind as ChannelKind, run.date);
      if (action === "resend") {
        digest.asked += 1;
        digest.isLost = exitCode !== 0;
      }
      return countPosted(run);
    },
    isSettled: (date, entries) =>
      UPDATE_KINDS.every((kind) => {
        const digest = open(kind, date);
        return digest.isLost || digest.shown === describe(entries);
      }),
    hasArrived: (kind, date) => textOf(open(kind as ChannelKind, date)) !== undefined,
    remove(kind, date) {
      const digest = open(kind, date);
      if (digest.id === null || !messagesOf(kind).delete(digest.id)) return false;
      if (!digest.isLost) digest.asked += 1;
      return true;
    },
    get counts() {
      return {
        ...counts,
        "digests that stay as they are": [...digests.values()].filter(({ isLost }) => isLost).length,
      };
    },
  };
}

/** Without a message: there is nothing to say, or a person has deleted what says it. */
function judgeAbsent({ posted, shown }: Digest, entries: readonly DayEntry[]): string | null {
  if (entries.length === 0) return null;
  if (posted === 0) return "did not arrive, and nobody said so";
  return shown === null || shown === describe(entries) ? null : "is gone, and was not posted anew";
}

function judgeExit({ exitCodes, clean }: UpdateRun): string | null {
  const failed = exitCodes.filter((code) => code !== 0 && code !== 9);
  // Of two at once, one may have waited for the other for too long: no time passes for who waits.
  const isWaiting = failed.length < exitCodes.length && failed.every((code) => code === 8);
  return clean && failed.length > 0 && !isWaiting ? "it failed, though nothing else did" : null;
}

const NOTHING = { posted: 0, asked: 0, id: null, isOpen: false, isLost: false, shown: null };

function describe(entries: readonly DayEntry[]): string {
  return entries
    .map(({ title, time }) => `${time} ${title}`)
    .sort()
    .join(", ");
}

/** A single event has no bullet. */
const EVENT_LINE = /^(?:[•-] )?(?:\*\*?|<b>)(?:→ )?(?:\d\d:\d\d|all day)/;

/** What a message shows in another way than the day has it; null for nothing. */
function findDifference(text: string, entries: readonly DayEntry[]): string | null {
  const lines = stringsIn(text).flatMap((part) => part.split("\n").filter((line) => EVENT_LINE.test(line)));
  const missing = entries.find(
    ({ title, time }) =>
      !lines.some((line) => line.includes(title) && (time === null || line.includes(time))),
  );
  if (missing !== undefined) return `does not show ${missing.time ?? ""} ${missing.title}`;
  return lines.length === entries.length ? null : `shows ${lines.length} events of ${entries.length}`;
}

/** All texts of a message, which is JSON or text. */
function stringsIn(text: string): readonly string[] {
  const strings: string[] = [];
  try {
    JSON.parse(text, (_, member: unknown) => {
      if (typeof member === "string") strings.push(member);
      return member;
    });
  } catch {
    return [text];
  }
  return strings;
}
