import { beforeEach, describe, expect, test } from "vitest";
import { type FaultServer, startFaultServer } from "../support/fault-server.js";
import { byService, reply } from "../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";
import { share } from "../support/shared.js";

/** Redirects are followed only to the same origin, and never by a write. */

const STATUSES = [301, 302, 303, 307, 308];

let world: RemoteWorld;
let other: FaultServer;

const shared = share(async () => ({ world: await createRemoteWorld(), other: await startFaultServer() }));

beforeEach(() => {
  ({ world, other } = shared());
  world.server.forget();
});

/** Ways to write another origin; HERE is the service's host and port, THERE another one. */
const ELSEWHERE = [
  "http://THERE/user",
  "//THERE/user",
  "http://HERE@THERE/user",
  "http://HERE:80@THERE/user",
  "http:\\\\THERE\\user",
  "https://HERE/user",
  "http://localhost:PORT/user",
  "http://127.0.0.1/user",
  // Nor to an address that has credentials.
  "http://user:password@HERE/user",
];

const NOT_HTTP = [
  "ftp://HERE/user",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "data:application/json,{}",
  "https://",
  "",
];

function fill(text: string): string {
  const port = world.server.host.split(":")[1] ?? "";
  return text.replaceAll("HERE", world.server.host).replaceAll("THERE", other.host).replaceAll("PORT", port);
}

function expectKeptBack(result: { readonly exitCode: number; readonly stdout: string }, location = ""): void {
  expect(result, location).toMatchObject({ exitCode: 11, stdout: "" });
  expect(other.connections, location).toEqual([]);
  expect(world.pauses, location).toEqual([]);
}

test.each([300, 304, 399])("%i is not a redirect", async (status) => {
  world.server.on("GET /user", [reply({ status, headers: { location: "/moved" } })]);
  expectKeptBack(await world.send("whoami"));
  expect(world.server.requests).toHaveLength(1);
});

test("C7 to another origin, or to no URL of HTTP: the token is not sent", async () => {
  for (const location of [...ELSEWHERE, ...NOT_HTTP]) {
    world.server.forget();
    world.server.on("GET /user", [reply({ status: 307, headers: { location: fill(location) } })]);
    expectKeptBack(await world.send("whoami"), location);
    expect(world.server.requests, location).toHaveLength(1);
  }
});

describe.each(STATUSES)("C7 %i", (status) => {
  test("to another origin after the same origin: the token is not sent", async () => {
    world.server.on("GET /user", [reply({ status, headers: { location: "/moved" } })]);
    world.server.on("GET /moved", [reply({ status, headers: { location: fill("http://THERE/") } })]);
    expectKeptBack(await world.send("whoami"));
  });

  test("to the same origin: followed, with the token", async () => {
    const serve = byService(world.service);
    world.server.on("GET /user", [reply({ status, headers: { location: "/moved?x=y" } })]);
    world.server.on("GET /moved", [reply((request) => serve({ ...request, target: "/user" }))]);
    expect((await world.send("whoami")).exitCode).toBe(0);
    expect(world.server.requests.map(({ target, headers }) => [target, headers["authorization"]])).toEqual(
      ["/user", "/moved?x=y"].map((target) => [target, `Bearer ${world.env["CALCTL_TOKEN"]}`]),
    );
  });

  test("to itself: four requests", async () => {
    world.server.on("GET /user", [reply({ status, headers: { location: "/user" } })]);
    expectKeptBack(await world.send("whoami"));
    expect(world.server.count("GET /user")).toBe(4);
  });

  test.each([
    ["POST", "/calendars/ID/events", ["events", "create", "--title", "T", "--category", "keep"]],
    ["PUT", "/calendars/ID/events/EVENT", ["events", "update", "EVENT", "--title", "X"]],
    ["DELETE", "/calendars/ID/events/EVENT", ["events", "delete", "EVENT", "--yes"]],
  ])("a %s is sent once, even to the same origin", async (method, path, argv) => {
    const name = (text: string) => text.replace("ID", world.calendarId).replace("EVENT", world.eventId);
    // test/api/error-table.test.ts has those to another origin.
    world.server.on(`${method} ${name(path)}`, [reply({ status, headers: { location: "/user" } })]);
    expectKeptBack(await world.send(...argv.map(name), "-c", world.calendarId));
    const writes = world.server.requests.filter((request) => request.method !== "GET");
    expect(writes).toHaveLength(1);
    expect(world.server.count("GET /user")).toBe(0);
  });
});
