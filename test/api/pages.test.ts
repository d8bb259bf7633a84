import { beforeEach, describe, expect, test } from "vitest";
import { type FaultServer, startFaultServer } from "../support/fault-server.js";
import { byService, cut, type Reply, reply, type Script } from "../support/fault-steps.js";
import type { WireAnswer } from "../support/http-bytes.js";
import { failed } from "../support/outcomes.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";
import { share } from "../support/shared.js";

/** Lists are followed to their end: to the same service only, and only forward. */

let world: RemoteWorld;
let other: FaultServer;

const shared = share(async () => ({ world: await createRemoteWorld(), other: await startFaultServer() }));

beforeEach(() => {
  ({ world, other } = shared());
  world.server.forget();
});

const eventsPath = () => `/calendars/${world.calendarId}/events`;

/** A page of events `event-N` that begin N hours after noon, with the link to the next one. */
function page(numbers: readonly number[], next: unknown): WireAnswer {
  const data = numbers.map((number) => ({
    id: `event-${number}`,
    type: "event",
    attributes: {
      title: `E${number}`,
      start_at: new Date(Date.UTC(2026, 11, 1, 12 + number)).toISOString(),
      end_at: new Date(Date.UTC(2026, 11, 1, 13 + number)).toISOString(),
    },
  }));
  return { status: 200, body: JSON.stringify({ data, links: { next } }) };
}

/** Serves pages one after the other, and remembers the requests as `METHOD target`. */
function serve(...scripts: readonly Script[]): void {
  world.server.on(`GET ${eventsPath()}`, ...scripts);
}

const pages = (...answers: readonly Reply[]) => serve(...answers.map((answer) => [reply(answer)]));

const list = (...flags: readonly string[]) =>
  world.send("events", "list", "-c", "Personal", "--from", "2026-12-01", ...flags);

const targets = () =>
  world.server.requests.map(({ target }) => target).filter((target) => target.includes("/events?"));

describe("the link to the next page", () => {
  test.each([
    ["a query", "?cursor=2"],
    ["a path", "PATH?cursor=2"],
    ["an address", "http://HERE/calendars/ID/events?cursor=2#page"],
    ["an address without a scheme", "//HEREPATH?cursor=2"],
    ["a link object", { href: "?cursor=2" }],
  ])("may be %s", async (_, link) => {
    const values = new Map([
      ["PATH", eventsPath()],
      ["HERE", world.server.host],
      ["ID", world.calendarId],
    ]);
    // At once, since a random id may contain one of the words.
    const fill = (text: string) => text.replace(/PATH|HERE|ID/g, (word) => values.get(word) ?? word);
    const next = typeof link === "string" ? fill(link) : link;
    pages(page([1, 2], next), page([3], null));
    const { exitCode, stdout } = await list("--fields", "title");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "E1\nE2\nE3\n" });
    expect(targets()[1]).toBe(`${eventsPath()}?cursor=2`);
    const [, second] = world.server.requests.filter(({ path }) => path === eventsPath());
    expect(second?.headers["authorization"]).toMatch(/^Bearer /);
  });

  test.each([undefined, null, ""])("may be missing: %j", async (next) => {
    pages(page([1], next === "" ? undefined : next));
    expect((await list("--fields", "title")).stdout).toBe("E1\n");
    expect(targets()).toHaveLength(1);
  });

  test.each([
    "http://THERE/calendars/ID/events?cursor=2",
    "//THERE/calendars/ID/events",
    "http://HERE@THERE/",
    "http://HERE:80@THERE/",
    "http:\\\\THERE\\",
    "https://HERE/calendars/ID/events",
    "http://localhost:PORT/calendars/ID/events",
    "http://user:secret@HERE/calendars/ID/events?cursor=2",
    "http://127.0.0.1/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://[",
    "data:application/json,{}",
    7,
    ["?cursor=2"],
    {},
  ])("to %j is an error, and the token is sent nowhere else", async (link) => {
    const port = world.server.host.split(":")[1] ?? "";
    const fill = (text: string) =>
      text
        .replaceAll("THERE", other.host)
        .replaceAll("HERE", world.server.host)
        .replaceAll("PORT", port)
        .replaceAll("ID", world.calendarId);
    pages(page([1], typeof link === "string" ? fill(link) : link));
    const { exitCode, stdout, stderr } = await list();
    expect({ exitCode, stdout }).toEqual({ exitCode: 11, stdout: "" });
    expect(stderr).not.toContain("secret");
    expect(targets()).toHaveLength(1);
    expect(other.connections).toEqual([]);
  });

  test.each(["/other", "/apis/calendars/x/events", "../../../../x", "/api/../x", "/api/%2e%2e/x", "/"])(
    "may not leave the path of the base URL: %s",
    async (link) => {
      const answer = byService(world.service);
      const calendars = reply((request) => answer({ ...request, target: request.target.slice(4) }));
      world.server.on("GET /api/calendars", [calendars]);
      world.server.on(`GET /api${eventsPath()}`, [reply(page([1], link))]);
      const env = { ...world.env, CALCTL_BASE_URL: `${world.server.baseUrl}/api` };
      expect(
        await world.runWith({ env }, ...["events", "list", "-c", "Personal", "--from", "2026-12-01"]),
      ).toMatchObject(failed(11, "the link to the next page leads away from"));
      expect(targets()).toHaveLength(1);
    },
  );

  test.each([
    ["to itself", ["?cursor=1", "?cursor=1"], 2],
    ["to the first page", ["?cursor=1", "FIRST"], 2],
    ["in a circle", ["?cursor=1", "?cursor=2", "?cursor=3", "?cursor=2"], 4],
  ])("%s is an error, not an endless list", async (_, links, requests) => {
    const first = "?from=2026-12-01&timezone=Europe/Berlin&limit=500&include=creator,label,attendees";
    const encoded = first.replace("Europe/Berlin", "Europe%2FBerlin");
    pages(...links.map((link, index) => page([index], link === "FIRST" ? encoded : link)));
    expect(await list()).toMatchObject(failed(11, "leads back to an earlier one"));
    expect(targets()).toHaveLength(requests);
  });
});

describe("a failure in the middle", () => {
  /** Two pages, which are printed up to the day before the last event, and then a failure. */
  const failing: readonly [string, Script, number][] = [
    ["503", [reply({ status: 503, body: "" })], 8],
    ["a cut body", [cut(page([99], null), { at: -5 })], 8],
    ["401", [reply({ status: 401, body: "" })], 4],
    ["403", [reply({ status: 403, body: "" })], 6],
    ["404", [reply({ status: 404, body: "" })], 5],
    ["400", [reply({ status: 400, body: "" })], 11],
    ["no JSON", [reply({ status: 200, body: "<html>" })], 11],
  ];
  const first = () => [reply(page([1, 24, 48, 72, 96, 120], "?cursor=2"))];

  test.each(failing)(
    "%s leaves complete lines of ndjson, and exits with its own code",
    async (_, failure, code) => {
      serve(first(), failure);
      const { exitCode, stdout, stderr } = await list("-o", "ndjson", "--retries", "0");
      expect(exitCode).toBe(code);
      const lines = stdout.split("\n").slice(0, -1);
      expect(lines.map((line) => JSON.parse(line).title)).toEqual(["E1", "E24", "E48", "E72"]);
      expect(stdout.endsWith("}\n")).toBe(true);
      expect(JSON.parse(stderr).error.exit_code).toBe(code);
    },
  );

  test.each(failing)("%s prints nothing in other formats", async (_, failure, code) => {
    serve(first(), failure);
    expect(await list("-o", "json", "--retries", "0")).toMatchObject({ exitCode: code, stdout: "" });
  });

  test("beside another calendar is exit 12; the other one is complete", async () => {
    world = await createRemoteWorld();
    await world.service.admin.calendars.add({ name: "Work", owner: world.userId });
    const create = ["events", "create", "-c", "Work", "--title", "At work", "--duration", "1h"];
    await world.run(...create, "--start", "2026-12-20T12:00");
    serve(first(), [reply({ status: 503, body: "" })]);
    const flags = ["events", "list", "--from", "2026-12-01", "--retries", "0", "--fields", "title"];
    const streamed = await world.send(...flags, "-o", "ndjson");
    expect(streamed.exitCode).toBe(12);
    expect(streamed.stdout.match(/E\d+|At work/g)).toEqual(["E1", "E24", "E48", "E72", "At work"]);
    expect(JSON.parse(streamed.stderr.trim().split("\n").at(-1) ?? "").error).toMatchObject({
      code: "partial",
      details: { failed: [{ id: world.calendarId, code: "unavailable" }] },
    });
    serve(first(), [reply({ status: 503, body: "" })]);
    expect(await world.send(...flags)).toMatchObject({ exitCode: 12, stdout: "At work\n" });
  });

  test("a page that could not be read at first is read again", async () => {
    serve(first(), [reply({ status: 503, body: "" })], [reply(page([144], null))]);
    const { exitCode, stdout } = await list("--fields", "title");
    expect({ exitCode, lines: stdout.split("\n").length - 1 }).toEqual({ exitCode: 0, lines: 7 });
  });
});
