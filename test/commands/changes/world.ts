import { expect } from "vitest";
import { byService, type ReceivedRequest, reply, type Step } from "../../support/fault-steps.js";
import { NOW } from "../../support/harness.js";
import type { WireAnswer } from "../../support/http-bytes.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";
import { words } from "../../support/words.js";

export const answer = (status: number, body: object) =>
  reply({ status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
export const problem = (status: number) => answer(status, { status, title: "On purpose" });
type Respond = (request: ReceivedRequest) => Promise<WireAnswer>;

/** A service without revisions. */
function ofContractAlone(respond: Respond): Respond {
  return async (request) => {
    if (/\/changes(\?|$)/.test(request.target)) {
      return { status: 404, headers: { "content-type": "application/problem+json" }, body: "{}" };
    }
    const response = await respond(request);
    const headers = Object.entries(response.headers ?? {});
    return {
      ...response,
      headers: Object.fromEntries(headers.filter(([name]) => !/^(calendar-revision|etag)$/.test(name))),
    };
  };
}

interface Change {
  readonly change: string;
  readonly event: { readonly id: string; readonly title: string; readonly calendar_name: string };
}

/**
 * Two calendars, Personal with Lunch and Work with Meeting, and a first run that has seen both.
 * @param options.revisions whether the service tells what changed since a revision
 */
export async function createChangesWorld({ revisions }: { readonly revisions: boolean }) {
  let now = NOW;
  const world = await createRemoteWorld();
  const respond = revisions ? byService(world.service) : ofContractAlone(byService(world.service));
  world.server.otherwise([reply(respond)]);
  const { admin } = world.service;
  const work = await admin.calendars.add({ name: "Work", owner: "ana" });
  const create = async (title: string, calendar: string, start = "2026-11-23T10:00") => {
    const argv = ["events", "create", "-c", calendar, "--title", title, "--start", start, "--duration", "1h"];
    return (await world.json<{ id: string }>(...argv)).id;
  };
  const meeting = await create("Meeting", "Work");
  /** Passes a minute, so that what was written is older than what is written next. */
  const pass = (milliseconds = 60_000) => {
    now += milliseconds;
    world.setNow(now);
  };
  pass();
  const changes = async (name = "job") => {
    const { exitCode, stdout, stderr } = await world.send(
      ...words`events changes --since-last ${name} -o json --retries 0`,
    );
    pass();
    const printed = stdout === "" ? null : (JSON.parse(stdout) as Change[]);
    return {
      exitCode,
      stderr,
      titles: printed?.map(({ change, event }) => `${change} ${event.title}`),
    };
  };
  expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles: [] });
  world.server.forget();
  /** Answers one request in another way than the service. */
  const once = (methodAndPath: string, step: Step) =>
    world.server.on(methodAndPath, [step], [reply(respond)]);
  return { world, workId: work.id, meeting, create, changes, once, pass };
}

/** What was asked for, sorted. */
export const requestsOf = ({ server }: RemoteWorld) =>
  server.requests.map(({ method, target }) => `${method} ${target.replace(/\?.*/, "")}`).sort();
