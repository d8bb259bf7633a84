import { existsSync } from "node:fs";
import { join } from "node:path";
import { querySql } from "../../../service/test/support/database.js";
import type { Exchange, Script } from "../../support/fault-steps.js";
import { reply } from "../../support/fault-steps.js";
import type { RunResult } from "../../support/harness.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";
import { createDraw, type Draw } from "../draw.js";
import { createFaultyReplies, type FaultyReplies } from "../faulty-replies.js";
import { type Accounts, createAccounts, type Job, type JobRun } from "./accounts.js";
import {
  type Agenda,
  type Change,
  createAgenda,
  DAY,
  HOUR,
  MINUTE,
  type Month,
  planMonth,
} from "./agenda.js";
import { type Chat, DIGEST_PATHS, LEAST_PATH, play, REMIND_PATH, startChat } from "./chat.js";
import { CRASH_POINTS, type Crashes, type CrashPoint, createCrashes } from "./crashes.js";

export interface Lived {
  readonly counts: Readonly<Record<string, number>>;
  /** How often runs were killed, by where. */
  readonly crashes: Readonly<Record<string, number>>;
  /** The first thing that went wrong; null if nothing did. */
  readonly violation: string | null;
}

interface LiveOptions {
  /** Otherwise most runs that have nothing to do are left out. */
  readonly everyRun: boolean;
}

const STATE = "state.db";

/** Lives through a month: people change their calendars, and cron starts jobs. */
export async function liveThrough(month: Month, draw: Draw, { everyRun }: LiveOptions): Promise<Lived> {
  const scene = await createScene(month, draw);
  const { agenda, world, crashes } = scene;
  const exits: Record<string, number> = {};
  let violation: string | null = null;
  for (const tick of ticksOf(month, draw)) {
    const now = Math.max(tick.at, world.now());
    await scene.change(agenda.take(now));
    const leisure = leisureOf(scene, tick, now);
    if (!everyRun && leisure !== null && !draw.chance(SHARE_OF_RUNS[leisure])) continue;
    world.setNow(now);
    const run = await runJob(scene, tick);
    for (const code of run.exitCodes) exits[`exit ${code}`] = (exits[`exit ${code}`] ?? 0) + 1;
    const problem =
      scene.accounts.check(run) ?? (run.due.length === 0 ? run.touched : null) ?? (await react(scene, run));
    violation = problem && `${new Date(now).toISOString()} ${tick.job}: ${problem}\n${run.stderr}`;
    if (violation !== null) break;
  }
  const counts = { ...exits, ...scene.accounts.counts };
  return { counts, crashes: crashes.counts, violation };
}

/**
 * How many of the runs are started that have nothing to announce: close to a start, while there is one that was missed, and
 * far from any.
 */
const SHARE_OF_RUNS = { near: 0.1, missed: 0.06, far: 0.02 };

/** Null for a run that has something to do. */
function leisureOf(
  { agenda, accounts }: Scene,
  { job }: Tick,
  now: number,
): keyof typeof SHARE_OF_RUNS | null {
  if (job === "digest" || !agenda.due(now).every((start) => accounts.isSettled(job, start))) return null;
  if (agenda.due(now, 10 * MINUTE).length > 0) return "near";
  const isMissed = agenda
    .due(now, 12 * HOUR)
    .some((start) => start.start < now && !accounts.isSettled(job, start));
  return isMissed ? "missed" : "far";
}

interface Tick {
  readonly at: number;
  readonly job: Job;
}

/** When cron starts what: not while the machine is off, sometimes some seconds late. */
function* ticksOf({ clock, from, until }: Month, draw: Draw): Generator<Tick> {
  let isOffUntil = 0;
  for (let at = from; at < until; at += 5 * MINUTE) {
    if (at < isOffUntil) continue;
    const late = draw.chance(0.5) ? draw.below(50_000) : 0;
    yield { at: at + late, job: "remind" };
    yield { at: at + late, job: "least" };
    const time = new Date(clock.show(at)).toISOString().slice(11, 16);
    if (DIGEST_AT.includes(time)) yield { at: at + late, job: "digest" };
    if (draw.chance(0.002)) isOffUntil = at + draw.pick([20 * MINUTE, 50 * MINUTE, 3 * HOUR]);
  }
}

/** The job of each morning, and its repetitions. */
const DIGEST_AT = ["07:00", "07:10", "07:30", "08:00"];

interface Scene {
  readonly month: Month;
  readonly draw: Draw;
  readonly world: RemoteWorld;
  readonly chat: Chat;
  readonly crashes: Crashes;
  readonly accounts: Accounts;
  readonly agenda: Agenda;
  readonly service: CalendarService;
  change(changes: readonly Change[]): Promise<void>;
  titleOf(id: string): string;
  /** The jobs that have run before. */
  readonly begun: Set<Job>;
}

async function createScene(month: Month, draw: Draw): Promise<Scene> {
  const crashes = await createCrashes(STATE);
  const world = await createRemoteWorld({
    timeZone: month.clock.zone,
    nextProcess: crashes.nextProcess,
    duringPause: () => new Promise((resolve) => setImmediate(resolve)),
  });
  world.setNow(month.from - DAY);
  const chat = await startChat(crashes, world.timers);
  for (const [name, path] of TARGETS) {
    const flags = ["--as", "json", "--insecure-storage"];
    await world.runWith({ stdin: `${chat.server.baseUrl}${path}` }, "targets", "add", name, ...flags);
  }
  const work = await world.service.admin.calendars.add({ name: "Work", owner: "ana" });
  const calendars = [world.calendarId, work.id];
  const ids = new Map<string, string>();
  return {
    ...{ month, draw, world, chat, crashes, accounts: createAccounts(), begun: new Set<Job>() },
    agenda: createAgenda(month, planMonth(month, draw)),
    service: createCalendarService(world, work.id),
    async change(changes) {
      for (const change of changes) await applyChange(world, { change, calendars, ids });
    },
    titleOf: (id) => [...ids].find(([, known]) => known === id)?.[0] ?? id,
  };
}

/** The saved targets, by name. */
const TARGETS: readonly (readonly [string, string])[] = [
  ["remind", REMIND_PATH],
  ["least", LEAST_PATH],
  ...DIGEST_PATHS.map((path, index) => [`digest-${index}`, path] as const),
];

interface AppliedChange {
  readonly change: Change;
  readonly calendars: readonly string[];
  /** By title. */
  readonly ids: Map<string, string>;
}

async function applyChange(
  { json }: RemoteWorld,
  { change: { title, calendar, span }, calendars, ids }: AppliedChange,
): Promise<void> {
  const id = ids.get(title);
  const inCalendar = ["-c", calendars[calendar] ?? ""];
  if (span === null) {
    await json("events", "delete", id ?? "", ...inCalendar, "--yes");
    return;
  }
  const [start, end] = [span.start, span.end].map((time) => new Date(time).toISOString());
  const days = ["--start", start?.slice(0, 10) ?? "", "--end", isoDate(span.end - DAY)];
  const times = span.allDay ? days : ["--start", start ?? "", "--end", end ?? ""];
  if (id !== undefined) {
    await json("events", "update", id, ...inCalendar, ...times);
    return;
  }
  const flags = [...inCalendar, "--title", title, ...times, ...(span.allDay ? ["--all-day"] : [])];
  ids.set(title, (await json<{ readonly id: string }>("events", "create", ...flags)).id);
}

function isoDate(midnight: number): string {
  return new Date(midnight).toISOString().slice(0, 10);
}

interface CalendarService {
  /** Begins a run. @param seed decides what fails in it */
  begin(seed: number): void;
  /** Number of calls that have failed so far. */
  failures(): number;
  /** Whether one of the calendars cannot be read in this run. */
  hasOutage(): boolean;
}

/** It fails one call in five, and sometimes one of its calendars cannot be read for a while. */
function createCalendarService(world: RemoteWorld, flaky: string): CalendarService {
  const { server, service } = world;
  const forbidden: Script = [reply({ status: 403, headers: {}, body: "" })];
  // Each resource has faults of its own, so that the order in which they are read makes no difference.
  const replies = new Map<string, FaultyReplies>();
  let seed = 0;
  let failures = 0;
  let isOut = false;
  const next = (path: string): Script => {
    const resource = path.includes(flaky) ? 2 : path === "/calendars" ? 0 : 1;
    const key = `${seed} ${resource}`;
    const own = replies.get(key) ?? createFaultyReplies(service, createDraw(seed + resource));
    replies.set(key, own);
    const whole = own.played["none"];
    const script = own.next();
    if (own.played["none"] === whole) failures += 1;
    return script;
  };
  server.otherwise([
    (exchange: Exchange) => {
      const { path } = exchange.request;
      return play(isOut && path.includes(flaky) ? forbidden : next(path), exchange);
    },
  ]);
  return {
    begin(next) {
      seed = next;
      // Five hours of every week, and for the whole of a run.
      isOut = world.now() % (7 * DAY) < 5 * HOUR;
      replies.clear();
    },
    failures: () => failures,
    hasOutage: () => isOut,
  };
}

interface RunOfJob extends JobRun {
  readonly stderr: string;
  /** What a run did that had nothing to do. */
  readonly touched: string | null;
}

/** Runs a job. @param again whether a person runs it, to repeat what is unknown */
async function runJob(scene: Scene, { job }: Tick, again = false): Promise<RunOfJob> {
  const { world, draw, month, agenda, chat, crashes, service, begun } = scene;
  const date = month.clock.date(world.now());
  const isDigest = job === "digest";
  const { point, count } = again ? { point: null, count: 1 } : chooseFate(scene, job);
  const [failures, rows] = [service.failures(), rowsOf(world)];
  const seed = draw.below(2 ** 31);
  crashes.begin(point);
  chat.begin(createDraw(seed));
  service.begin(seed + 1);
  const outage = service.hasOutage();
  const due = agenda.due(world.now()).filter(({ calendar }) => !(outage && calendar === 1));
  const results = await Promise.all(Array.from({ length: count }, () => start(scene, job, again)));
  const crashed = crashes.isDead();
  crashes.end();
  world.server.forget();
  const turn = chat.take();
  const hasFailed = turn.faults.length > 0 || service.failures() > failures;
  const heard = crashed ? [] : results;
  const missed = heard.flatMap(({ stderr }) => missedIn(stderr));
  const mayWrite = !begun.has(job) || missed.length > 0;
  if (heard.some(({ exitCode }) => exitCode === 0)) begun.add(job);
  return {
    ...{ job, again, crashed, outage, turn, due, date, missed },
    onDay: agenda.on(date).map(({ title }) => title),
    exitCodes: heard.map(({ exitCode }) => exitCode),
    unknown: heard.flatMap(unknownIn).map((name) => nameOf(scene, job, name)),
    // A person is faster than a rate limit.
    clean: !hasFailed && !(outage && isDigest) && !(again && results[0]?.exitCode === 7),
    stderr: results.map(({ exitCode, stderr }) => `exit ${exitCode} ${stderr}`).join(""),
    touched:
      !isDigest && !mayWrite && (turn.arrived.length > 0 || rowsOf(world) !== rows)
        ? "a run with nothing due did something"
        : null,
  };
}

/** The title of an event, or the path of a digest. */
function nameOf({ titleOf }: Scene, job: Job, name: string): string {
  const target = TARGETS.find(([known]) => `target ${known}` === name);
  return job === "digest" ? (target?.[1] ?? name) : titleOf(name);
}

/** The starts that a line on stderr calls missed. */
function missedIn(stderr: string): readonly string[] {
  const line = stderr.split("\n").find((each) => /^\d+ starts? (?:was|were) missed/.test(each)) ?? "";
  return [...line.matchAll(/[\w ]+ \d+ \([^)]+\)/g)].map(([start]) => start.trim());
}

/** What a person does about exit 9: nothing, or the job again, whether the message has arrived or not. */
async function react(scene: Scene, run: RunOfJob): Promise<string | null> {
  const { world, draw, accounts } = scene;
  if (!run.exitCodes.includes(9) || draw.chance(0.3)) return null;
  return accounts.check(await runJob(scene, { at: world.now(), job: run.job }, true));
}

interface Fate {
  /** Null for a run that lives. */
  readonly point: CrashPoint | null;
  /** Sometimes two runs are started at the same second. */
  readonly count: number;
}

/** Where fewest were killed so far comes first. */
function chooseFate({ draw, crashes, agenda, accounts, world }: Scene, job: Job): Fate {
  const due = agenda.due(world.now());
  const isDigest = job === "digest";
  const hasWork = isDigest || !due.every((start) => accounts.isSettled(job, start));
  if (hasWork && draw.chance(0.35)) {
    const countOf = (point: CrashPoint): number => crashes.counts[point] ?? 0;
    const fewest = Math.min(...CRASH_POINTS.map(countOf));
    return { point: draw.pick(CRASH_POINTS.filter((point) => countOf(point) === fewest)), count: 1 };
  }
  return { point: null, count: draw.chance(isDigest ? 0.2 : 0.05) ? 2 : 1 };
}

function calctl({ world }: Scene, ...argv: readonly string[]): Promise<RunResult> {
  const env = { ...world.env, CALCTL_STATE_DIR: join(world.directory, "state") };
  return world.runWith({ env }, ...argv);
}

function start(scene: Scene, job: Job, again: boolean): Promise<RunResult> {
  const { month } = scene;
  const flags = ["--timezone", month.clock.zone, "-o", "json", ...(again ? ["--again"] : [])];
  if (job === "digest") {
    const to = DIGEST_PATHS.flatMap((_, index) => ["--to", `digest-${index}`]);
    return calctl(scene, "post", "--once", ...to, ...flags);
  }
  const least = job === "least" ? ["--at-least-once"] : [];
  const window = ["--before", "15m", "--all-day-at", month.allDayAt];
  return calctl(scene, "remind", ...window, "--post", job, ...least, ...flags);
}

/** What state.db has. Its file also changes when a run only ends, which moves the log into it. */
function rowsOf({ directory }: RemoteWorld): string {
  const path = join(directory, "state", STATE);
  if (!existsSync(path)) return "";
  const queries = ["select key, state, owner from sent", "select name, revision from seen"];
  return JSON.stringify(queries.map((query) => querySql(path, query)));
}

interface ReportedError {
  readonly code: string;
  readonly message: string;
  readonly details: { readonly failed?: readonly { readonly id: string; readonly code: string }[] } | null;
}

/** The ids of events whose outcome a run has called unknown; without details, that of its only event. */
function unknownIn({ stderr }: RunResult): readonly string[] {
  const line = stderr.split("\n").find((each) => each.startsWith('{"error":'));
  if (line === undefined) return [];
  const { error }: { readonly error: ReportedError } = JSON.parse(line);
  const only = /^event .*, (\w+)\): /.exec(error.message)?.[1] ?? "";
  const failed = error.details?.failed ?? [{ id: only, code: error.code }];
  return failed.filter(({ code }) => code === "outcome_unknown").map(({ id }) => id);
}
