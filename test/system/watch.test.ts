import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../service/listen.js";
import { openService, type Service } from "../../service/service.js";
import { startCuttingProxy } from "../../service/test/support/cutting-proxy.js";
import { eventBody, SCHEDULE } from "../../service/test/support/event-bodies.js";
import { request } from "../../service/test/support/send.js";
import { processesOf } from "../support/processes.js";
import { createInstallation, type Running, TOMORROW } from "../support/spawned.js";

/** `events watch` over a real network that loses connections. */

interface Line {
  readonly id: string;
  readonly change: "added" | "changed" | "removed";
  readonly event: { readonly id: string; readonly title: string };
}

async function createWorld() {
  const service = await openService({ database: ":memory:", now: Date.now, rateLimit: null });
  onTestFinished(() => service.close());
  const { id: userId } = await service.admin.users.add({ name: "ana" });
  const { id: calendarId } = await service.admin.calendars.add({ name: "Family", owner: userId });
  const { token, id: tokenId } = await service.admin.tokens.create({ user: "ana", readOnly: false });
  /** The target of each request. */
  const requested: string[] = [];
  const recorded: Service = {
    ...service,
    handle(asked, source) {
      requested.push(asked.target);
      return service.handle(asked, source);
    },
  };
  const listener = await listen(recorded, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => listener.close());
  const proxy = await startCuttingProxy(Number(new URL(listener.baseUrl).port));
  const env = { CALCTL_BASE_URL: `http://127.0.0.1:${proxy.port}`, CALCTL_TOKEN: token };
  const { start, home } = createInstallation(env);
  /** What is there, by id. */
  const titles = new Map<string, string>();
  const write = async (method: "POST" | "PUT" | "DELETE", id: string | null, title = "") => {
    const times = { start_at: `${TOMORROW}T10:00:00Z`, end_at: `${TOMORROW}T11:00:00Z` };
    const path = `/calendars/${calendarId}/events${id === null ? "" : `/${id}`}`;
    const body = method === "DELETE" ? {} : { body: eventBody({ ...SCHEDULE, ...times, title }) };
    const { status, json } = await request({ service, token }, `${method} ${path}`, body);
    expect(status).toBeLessThan(300);
    if (method === "DELETE") titles.delete(id ?? "");
    else titles.set(json.data.id, title);
  };
  return { service, tokenId, proxy, start, home, titles, write, requested };
}

type World = Awaited<ReturnType<typeof createWorld>>;

/** One write of many, to about fifty events. */
function writeNext({ titles, write }: World, count: number): Promise<void> {
  const id = [...titles.keys()][(count * 7) % 50];
  if (id === undefined) return write("POST", null, `${count} new`);
  return count % 5 === 0 ? write("DELETE", id) : write("PUT", id, `${count}`);
}

/** What runs have printed, in order, without a line that a kill has cut off. */
function linesOf(outputs: readonly string[]): readonly Line[] {
  return outputs.flatMap((text) => text.split("\n").slice(0, -1)).map((line) => JSON.parse(line));
}

function collect({ child }: Running): () => string {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

/** Starts a watch, and resolves when it has read for the second time. */
async function startWatch({ start, requested }: World) {
  const before = requested.length;
  const running = start("events", "watch", "--since-last", "desk", "--interval", "1s");
  const text = collect(running);
  const isRead = (target: string) => target.includes("/changes");
  await expect.poll(() => requested.slice(before).some(isRead)).toBe(true);
  return { ...running, text };
}

test("10,000 writes reach it over cut connections and kills, and a repeat has the same id", async () => {
  const world = await createWorld();
  let watch = await startWatch(world);
  const watches = [watch];
  for (let count = 1; count <= 10_000; count += 1) {
    await writeNext(world, count);
    if (count % 700 === 0) world.proxy.cut();
    if (count % 4_000 !== 0) continue;
    watch.child.kill("SIGKILL");
    await watch.ended;
    watch = await startWatch(world);
    watches.push(watch);
  }
  const told = () => {
    const last = new Map<string, string>();
    for (const { change, event } of linesOf(watches.map(({ text }) => text()))) {
      if (change === "removed") last.delete(event.id);
      else last.set(event.id, event.title);
    }
    return Object.fromEntries(last);
  };
  await expect.poll(told).toEqual(Object.fromEntries(world.titles));
  const lines = linesOf(watches.map(({ text }) => text())).map(
    (line) => [line.id, JSON.stringify(line)] as const,
  );
  for (const [id, line] of lines) expect(line).toBe(new Map(lines).get(id));
});

test("a token that is revoked is exit 4", async () => {
  const world = await createWorld();
  const watch = await startWatch(world);
  await world.write("POST", null, "Lunch");
  await watch.stdoutWith("Lunch");
  await world.service.admin.tokens.revoke(world.tokenId);
  expect(await watch.ended).toMatchObject({ exitCode: 4 });
});

test.each([
  [[], "it is not run again for this change: that needs --since-last"],
  [["--since-last", "desk"], "the next run under the same --since-last runs it again for this change"],
])(
  "that is interrupted with %j while a program runs ends all of it, and says what becomes of it",
  async (flags, again) => {
    const world = await createWorld();
    await world.write("POST", null, "Lunch");
    const program = ["sh", "-c", "sleep 1000 & echo up; wait"];
    const running = world.start("events", "watch", "--from-start", ...flags, "--", ...program);
    await expect.poll(collect(running)).toContain("up");
    running.child.kill("SIGINT");
    const { exitCode, stderr } = await running.ended;
    expect(exitCode).toBe(130);
    expect(stderr).toContain(`was running and has been killed; ${again}\n`);
    await expect.poll(() => processesOf(world.home)).toEqual([]);
  },
);
