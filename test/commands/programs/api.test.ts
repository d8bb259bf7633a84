import { beforeEach, describe, expect, test } from "vitest";
import { close, receive, reply } from "../../support/fault-steps.js";
import { QUIET } from "../../support/outcomes.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";
import { words } from "../../support/words.js";

/** `calctl api`: any request to the service, its body as it is. */

let world: RemoteWorld;

beforeEach(async () => {
  world = await createRemoteWorld();
});

/** The last request as it arrived. */
function lastRequest() {
  const { method, target, body, headers } = world.server.requests.at(-1) ?? { body: "" };
  return { method, target, body: String(body), type: headers?.["content-type"] };
}

test("prints the body as it is, with the token and the retries of other requests", async () => {
  world.server.on("GET /user", [reply({ status: 503 })], [reply({ status: 200, body: ' {"a" : 1}\n\n' })]);
  expect(await world.send("api", "/user", "-q")).toEqual({
    exitCode: 0,
    stdout: ' {"a" : 1}\n\n',
    stderr: "",
  });
  expect(world.server.count("GET /user")).toBe(2);
  expect(world.server.requests[0]?.headers["authorization"]).toMatch(/^Bearer /);
});

test("works with the profile local", async () => {
  const { stdout, exitCode } = await world.run("api", "user");
  expect({ exitCode, id: JSON.parse(stdout).data.id }).toEqual({ exitCode: 0, id: world.userId });
});

test.each([
  ["/calendars", [], "/calendars"],
  ["calendars", [], "/calendars"],
  [
    "/calendars?include=labels",
    ["-f", "timezone=Asia/Tokyo", "-f", "q=a b&c"],
    "/calendars?include=labels&timezone=Asia%2FTokyo&q=a+b%26c",
  ],
  ["/calendars/a%2Cb%20c", [], "/calendars/a%2Cb%20c"],
  ["/calendars/...", [], "/calendars/..."],
  ["/calendars/100%25", [], "/calendars/100%25"],
] as const)("GET %s %j asks for %s", async (path, flags, target) => {
  world.server.otherwise([reply({ status: 200, body: "{}" })]);
  expect((await world.send("api", path, ...flags)).exitCode).toBe(0);
  expect(lastRequest()).toEqual({ method: "GET", target, body: "", type: undefined });
});

test("a whole URL below the base URL works, as a link in a response", async () => {
  expect((await world.send("api", `${world.server.baseUrl}/user?a=1`)).exitCode).toBe(0);
  expect(lastRequest()).toMatchObject({ method: "GET", target: "/user?a=1" });
});

test("a path cannot leave a base URL with a path", async () => {
  const env = { ...world.env, CALCTL_BASE_URL: `${world.server.baseUrl}/api/v1` };
  world.server.otherwise([reply({ status: 200, body: "{}" })]);
  const send = (path: string) => world.runWith({ env }, "api", path);
  expect((await send("/user")).exitCode).toBe(0);
  expect(lastRequest().target).toBe("/api/v1/user");
  for (const path of [`${world.server.baseUrl}/api/v2`, `${world.server.baseUrl}/api/v11/user`])
    expect((await send(path)).exitCode).toBe(2);
  expect(world.server.requests).toHaveLength(1);
});

describe("a write", () => {
  test("-f makes attributes and relationships", async () => {
    const { calendarId } = world;
    const fields = [
      ...words`title=a=b category=schedule all_day=false description= start_timezone=UTC
        end_timezone=UTC`,
      ...["start_at=2026-11-21T12:00:00Z", "end_at=2026-11-21T13:00:00Z"],
      ...[`label=${calendarId},2`, `attendees=${calendarId},${world.userId}`],
    ];
    const { exitCode, stdout } = await world.send(
      ...["api", "-X", "POST", `/calendars/${calendarId}/events`],
      ...fields.flatMap((field) => ["-f", field]),
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).data.attributes).toMatchObject({ title: "a=b", all_day: false });
    expect(lastRequest().type).toBe("application/json");
    expect(JSON.parse(lastRequest().body)).toEqual({
      data: {
        attributes: {
          title: "a=b",
          category: "schedule",
          all_day: false,
          description: "",
          start_timezone: "UTC",
          end_timezone: "UTC",
          start_at: "2026-11-21T12:00:00Z",
          end_at: "2026-11-21T13:00:00Z",
        },
        relationships: {
          label: { data: { type: "label", id: `${calendarId},2` } },
          attendees: { data: [{ type: "user", id: `${calendarId},${world.userId}` }] },
        },
      },
    });
  });

  test("--input sends JSON", async () => {
    const path = `/calendars/${world.calendarId}/events/${world.eventId}/activities`;
    const body = '{"data": {"attributes": {"content": "é"}}}';
    const { exitCode } = await world.runWith(
      { env: world.env, stdin: body },
      ...["api", "-X", "POST", path, "--input", "-"],
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(lastRequest().body)).toEqual(JSON.parse(body));
  });

  test("DELETE takes a query and prints nothing", async () => {
    const path = `/calendars/${world.calendarId}/events/${world.eventId}`;
    expect(await world.send("api", "-X", "DELETE", path, "-f", "a=1")).toEqual(QUIET);
    expect(lastRequest()).toMatchObject({ method: "DELETE", target: `${path}?a=1`, body: "" });
  });

  test("a DELETE that is repeated and finds nothing was done", async () => {
    const path = `/calendars/${world.calendarId}/events/${world.eventId}`;
    world.server.on(`DELETE ${path}`, [reply({ status: 502 })], [reply({ status: 404, body: "gone" })]);
    expect(await world.send("api", "-X", "DELETE", path, "-q")).toMatchObject({ exitCode: 0 });
  });

  test("a POST is never repeated: exit 9, with the body", async () => {
    world.server.on("POST /x", [reply({ status: 500, body: "oops" })]);
    const { exitCode, stdout, stderr } = await world.send("api", "-X", "POST", "/x", "-f", "a=b");
    expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: "oops" });
    expect(stderr).toContain("may have succeeded");
    expect(world.server.count("POST /x")).toBe(1);
  });

  test("no response is exit 9, without a body", async () => {
    world.server.on("POST /x", [receive, close]);
    expect(await world.send("api", "-X", "POST", "/x", "-f", "a=b")).toMatchObject({
      exitCode: 9,
      stdout: "",
    });
  });
});

describe("--dry-run", () => {
  test("prints a write and sends nothing", async () => {
    const argv = ["api", "-X", "POST", "/calendars/x/events?a=1&b=2&b=3", "-f", "title=T", "--dry-run"];
    const { exitCode, stdout } = await world.send(...argv);
    expect({ exitCode, requests: world.server.requests.length }).toEqual({ exitCode: 0, requests: 0 });
    expect(JSON.parse(stdout)).toEqual({
      method: "POST",
      path: "/calendars/x/events",
      query: { a: "1", b: ["2", "3"] },
      body: { data: { attributes: { title: "T" } } },
    });
    expect((await world.send(...argv, "--jq", ".method")).stdout).toBe("POST\n");
  });

  test("reads", async () => {
    expect((await world.send("api", "/user", "--dry-run")).stdout).toContain(world.userId);
  });
});

test.each([
  [401, 4],
  [403, 6],
  [404, 5],
  [400, 11],
  [503, 8],
] as const)("the body of a %i is printed, then exit %i", async (status, exitCode) => {
  world.server.on("GET /x", [
    reply({ status, body: '{"title":"no"}', headers: { "Content-Type": "application/json" } }),
  ]);
  const result = await world.send("api", "/x", "--retries", "0", "-o", "json");
  expect(result).toMatchObject({ exitCode, stdout: '{"title":"no"}' });
  expect(JSON.parse(result.stderr.trim().split("\n").at(-1) ?? "")).toMatchObject({
    error: { exit_code: exitCode, status, details: "no", request: "GET /x" },
  });
  // A jq program is for successes.
  expect(await world.send("api", "/x", "--retries", "0", "--jq", ".data")).toMatchObject({
    exitCode,
    stdout: '{"title":"no"}',
  });
});

test("-i prints status and headers without secrets", async () => {
  world.server.on("GET /x", [
    reply({
      status: 200,
      body: "{}",
      headers: {
        "X-RateLimit-Limit": "600",
        "Set-Cookie": "session=s3cret",
        "X-Echo": world.env["CALCTL_TOKEN"] ?? "",
        "X-Link": "https://u:p4ss@h.example/?access_token=s3cret",
      },
    }),
  ]);
  const { stdout } = await world.send("api", "/x", "-i");
  expect(stdout).toMatch(/^HTTP 200\n([\w-]+: .*\n)+\n\{\}$/);
  expect(stdout).toContain("x-ratelimit-limit: 600\n");
  for (const secret of ["s3cret", "p4ss", world.env["CALCTL_TOKEN"]]) expect(stdout).not.toContain(secret);
});

test("--jq reads the body", async () => {
  const send = (...argv: readonly string[]) => world.send("api", "/calendars", ...argv);
  expect(await send("--jq", ".data | length")).toEqual({ exitCode: 0, stdout: "1\n", stderr: "" });
  world.server.on("GET /x", [reply({ status: 200, body: "<html>" })]);
  expect((await world.send("api", "/x", "--jq", ".")).exitCode).toBe(11);
});

test("a terminal gets no control characters", async () => {
  world.server.on("GET /x", [reply({ status: 200, body: "a\u001b[31m\u202e\nb" })]);
  const { stdout } = await world.runWith({ env: world.env, columns: 80 }, "api", "/x");
  expect(stdout).toBe("a\\x1b[31m\\u{202e}\nb\n");
});
