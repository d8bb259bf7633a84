import { expect, test } from "vitest";
import { dateToInstant } from "../../contract/date-time.js";
import { addDays, instantAt } from "../../src/time/zoned-time.js";
import { createPostWorld, type PostWorld } from "../support/post-world.js";
import { createDraw, type Draw } from "./draw.js";

/**
 * A year of events that repeat, over both clock changes: at midnight people make, move and delete occurrences, what follows
 * them, or whole series; `remind` runs every five minutes. The runs that are far from any start are left out but for one a day.
 */
const SEED = Number(process.env["SOAK_SEED"] ?? 20_261_123);
const [FIRST_DAY, DAYS, ZONE] = ["2026-11-22", 365, "Europe/Berlin"];
const MINUTE = 60_000;
/** When runs are started that may have something to say (minutes from a start). */
const AROUND = [-20, -15, -10, -5, 0, 5];
const RULES = ["daily", "weekdays", "weekly", "every 2 weeks", "monthly", "every 10 days"];

interface Shown {
  readonly id: string;
  readonly title: string;
  readonly start_local: string;
}

/** What of a message is looked at. */
interface Message {
  readonly days: readonly { readonly entries: readonly { readonly event: Shown }[] }[];
}

function nameOf({ title, start_local: start }: Shown): string {
  return `${start} ${title}`;
}

async function listDays(world: PostWorld, from: string, to = from): Promise<readonly Shown[]> {
  return world.json<readonly Shown[]>("events", "list", "--from", from, "--to", to);
}

/** What somebody does at the midnight that a day begins. */
async function changeSeries(world: PostWorld, draw: Draw, day: string): Promise<string> {
  const clock = `${String(8 + draw.below(12)).padStart(2, "0")}:${draw.pick(["00", "15", "40"])}`;
  const events = await listDays(world, day, addDays(day, 13));
  if (events.length < 5) {
    const repeat = ["--repeat", draw.pick(RULES), ...(draw.chance(0.5) ? ["--count", "9"] : [])];
    const flags = ["--start", `${day}T${clock}`, "--duration", "45m", ...repeat];
    await world.create(`Made on ${day}`, ...flags);
    return "create";
  }
  const { id, start_local: start } = draw.pick(events);
  const scope = draw.pick(["this", "following", "all"]);
  const isDelete = draw.chance(0.3);
  const argv = isDelete
    ? ["delete", id, "--yes"]
    : ["update", id, "--start", `${start.slice(0, 10)}T${clock}`];
  const { exitCode, stderr } = await world.run("events", ...argv, "--scope", scope);
  expect({ argv, exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ argv, exitCode: 0, stderr: "" });
  return `${isDelete ? "delete" : "update"} ${scope}`;
}

/** Runs the job of each time. @returns what was announced, in order */
async function remindAt(world: PostWorld, times: readonly number[]): Promise<readonly string[]> {
  world.hook.forget();
  for (const time of times) {
    world.setNow(time);
    const result = await world.send("remind", "--before", "15m", "--as", "json");
    expect(result).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  }
  const days = world.posted<Message>().flatMap((message) => message.days);
  return days.flatMap(({ entries }) => entries.map(({ event }) => nameOf(event))).sort();
}

test(`each occurrence of a year of changes is announced once (seed ${SEED})`, {
  timeout: 600_000,
}, async () => {
  const world = await createPostWorld({ timeZone: ZONE });
  const draw = createDraw(SEED);
  const done = new Map<string, number>();
  let announced = 0;
  for (let count = 0; count < DAYS; count += 1) {
    const day = addDays(FIRST_DAY, count);
    const midnight = instantAt(dateToInstant(day), ZONE);
    world.setNow(midnight);
    if (draw.chance(0.4) || count === 0) {
      const what = await changeSeries(world, draw, day);
      done.set(what, (done.get(what) ?? 0) + 1);
    }
    const events = await listDays(world, day);
    const starts = events.map(({ start_local }) => Date.parse(start_local));
    const near = starts.flatMap((start) => AROUND.map((minutes) => start + minutes * MINUTE));
    const far = midnight + draw.below(288) * 5 * MINUTE;
    const onTick = (time: number) => Math.ceil(time / (5 * MINUTE)) * 5 * MINUTE;
    const times = [...new Set([...near, far].map(onTick))].sort((one, other) => one - other);
    const told = await remindAt(world, times);
    expect({ day, told }).toEqual({ day, told: events.map(nameOf).sort() });
    announced += told.length;
  }
  process.stdout.write(`${announced} announced; ${JSON.stringify(Object.fromEntries(done))}\n`);
  // A year in which little happened says little.
  expect([...done.keys()].sort()).toEqual([
    ...["create", "delete all", "delete following", "delete this"],
    ...["update all", "update following", "update this"],
  ]);
  expect(announced).toBeGreaterThan(200);
});
