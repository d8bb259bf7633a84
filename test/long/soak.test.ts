import { join } from "node:path";
import { expect, test } from "vitest";
import { querySql } from "../../service/test/support/database.js";
import type { Script } from "../support/fault-steps.js";
import { NOW } from "../support/harness.js";
import { createRemoteWorld } from "../support/remote-world.js";
import { createClaims, type ServiceState } from "./claims.js";
import { type Commands, createCommands } from "./commands.js";
import { createDraw } from "./draw.js";
import { createFaultyReplies } from "./faulty-replies.js";

/** `npm run soak` runs 2,000 commands, `npm run test:long` fewer. A seed repeats a run. */
const COMMANDS = Number(process.env["SOAK_COMMANDS"] ?? 200);
const SEED = Number(process.env["SOAK_SEED"] ?? 20_261_121);
/** From one command to the next, in milliseconds: longer than one waits. */
const BETWEEN = 120_000;
const DATABASE = "soak.sqlite";

test(`${COMMANDS} commands against a service that fails one answer in five (seed ${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const draw = createDraw(SEED);
  const world = await createRemoteWorld({ database: DATABASE });
  const claims = createClaims();
  const before = readState(join(world.directory, DATABASE));
  const faults = createFaultyReplies(world.service, draw);
  world.server.otherwise([(exchange) => playAll(faults.next(), exchange)]);
  const commands = createCommands(world, { claims, draw });
  for (let count = 0; count < COMMANDS; count += 1) {
    world.setNow(NOW + count * BETWEEN);
    await commands.next();
  }
  process.stdout.write(`${describeRun(commands, faults.played)}\n`);
  expect(commands.complaints).toEqual([]);
  const state = readState(join(world.directory, DATABASE));
  expect(claims.compare(without(state, before))).toEqual([]);
  // A run in which nothing went wrong, or nothing went well, says nothing.
  expect(faults.kinds.filter((kind) => faults.played[kind] === undefined)).toEqual([]);
  for (const exitCode of [0, 7, 8, 9]) expect(commands.exitCodes[exitCode] ?? 0).toBeGreaterThan(0);
});

async function playAll(script: Script, exchange: Parameters<Script[number]>[0]): Promise<void> {
  for (const step of script) await step(exchange);
}

/** The service's state as it is on disk; an event's marker stands in its description. */
function readState(path: string): ServiceState {
  return {
    events: querySql(path, "select description, title from events").map(({ description, title }) => ({
      marker: String(description ?? title),
      title: String(title),
    })),
    comments: querySql(path, "select content from activities").map(({ content }) => String(content)),
  };
}

/** What the run itself has made. */
function without(state: ServiceState, before: ServiceState): ServiceState {
  const markers = new Set(before.events.map(({ marker }) => marker));
  return { ...state, events: state.events.filter(({ marker }) => !markers.has(marker)) };
}

function describeRun({ exitCodes }: Commands, played: Readonly<Record<string, number>>): string {
  const count = (counts: object) =>
    Object.entries(counts)
      .map(([name, times]) => `${name}: ${times}`)
      .join(", ");
  return `exit codes: ${count(exitCodes)}\nanswers: ${count(played)}`;
}
