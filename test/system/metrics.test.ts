import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import parse from "parse-prometheus-text-format";
import { describe, expect, onTestFinished, test } from "vitest";
import { failed } from "../support/outcomes.js";
import { createInstallation } from "../support/spawned.js";
import { words } from "../support/words.js";

/** `service start --metrics`, read as Prometheus reads it. */

const START = ["service", "start", "--memory", "--sample", "--port", "0", "-o", "json"];

/** Windows begin at multiples of their length: this one began in 1970, so that none ends during a test. */
const LONG = "36500d";

async function startService(...flags: readonly string[]) {
  const running = createInstallation().start(...START, "--metrics", "0", ...flags);
  const {
    base_url: url,
    metrics_url: metricsUrl,
    token,
    client_secret: secret,
  } = JSON.parse(await running.stdoutWith("\n"));
  const send = async (method: string, target: string, body?: object) => {
    const response = await fetch(`${url}${target}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const read = async () => {
    const response = await fetch(metricsUrl);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    const families = parse(text);
    const samplesOf = (name: string) => families.find((family) => family.name === name)?.metrics;
    return { text, families, samplesOf };
  };
  return { running, url, metricsUrl, token, secret, send, read };
}

test("counts requests by the route's template, and has nothing that a client wrote", async () => {
  const { url, token, secret, send, read } = await startService("--rate-limit", `9/${LONG}`);
  const calendars = await fetch(`${url}/calendars`, { headers: { authorization: `Bearer ${token}` } });
  const { id } = JSON.parse(await calendars.text()).data[0];
  expect(await send("GET", `/calendars/${id}/upcoming_events?days=7`)).toBe(200);
  expect(await send("GET", `/calendars/${id}/labels`)).toBe(200);
  expect(await send("GET", "/calendars/no-such-calendar/labels/")).toBe(404);
  expect(await send("HEAD", "/user")).toBe(200);
  expect(await send("GET", "/private/path/of/mine")).toBe(404);
  expect(await send("GET", "/calendars/%ff")).toBe(400);
  expect(await send("PATCH", "/user")).toBe(405);
  expect(await send("POST", `/calendars/${id}/events`, {})).toBe(400);
  for (let count = 0; count < 3; count += 1) expect(await send("GET", "/user")).toBe(429);
  expect((await fetch(`${url}/user`)).status).toBe(401);
  expect((await fetch(`${url}/oauth/authorize?client_id=x`)).status).toBe(400);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const { text, samplesOf } = await read();
  const counted = samplesOf("calctl_http_requests_total")?.map(
    ({ labels, value }) => `${labels?.["method"]} ${labels?.["route"]} ${labels?.["status"]}: ${value}`,
  );
  expect(counted?.sort()).toEqual([
    "GET /calendars 200: 1",
    "GET /calendars/{calendar_id}/labels 200: 1",
    "GET /calendars/{calendar_id}/labels 404: 1",
    "GET /calendars/{calendar_id}/upcoming_events 200: 1",
    "GET /oauth/authorize 400: 1",
    "GET /readyz 200: 1",
    "GET /user 401: 1",
    "GET /user 429: 3",
    "GET unmatched 400: 1",
    "GET unmatched 404: 1",
    "HEAD /user 200: 1",
    "POST /calendars/{calendar_id}/events 400: 1",
    "other /user 405: 1",
  ]);
  // The parser mixes histograms that differ in their labels.
  const durations = "calctl_http_request_duration_seconds";
  expect(text).toContain(`\n${durations}_bucket{le="+Inf",method="GET",route="/user"} 4\n`);
  expect(text).toContain(`\n${durations}_count{method="GET",route="/user"} 4\n`);
  expect(text).toMatch(/_seconds_sum\{method="GET",route="\/user"\} \d/);
  for (const word of [id, token, secret, "no-such-calendar", "private", "PATCH", "Family"])
    expect(text).not.toContain(word);
});

test("measures database, process and event loop under the usual names", async () => {
  const { running, send, read } = await startService();
  await send("GET", "/user");
  const { text, samplesOf } = await read();
  for (const kind of ["read", "write"])
    expect(text).toMatch(
      new RegExp(`^calctl_database_transaction_duration_seconds_count\\{kind="${kind}"\\} [1-9]`, "m"),
    );
  const numberOf = (name: string) => Number(samplesOf(name)?.[0]?.value);
  expect(numberOf("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(numberOf("process_resident_memory_bytes")).toBeGreaterThan(2 ** 24);
  expect(numberOf("process_start_time_seconds")).toBeGreaterThan(Date.now() / 1_000 - 86_400);
  expect(numberOf("nodejs_eventloop_lag_p99_seconds")).not.toBeNaN();
  running.child.kill("SIGTERM");
  expect(await running.ended).toMatchObject({ exitCode: 0 });
});

test("names follow the conventions of Prometheus", async () => {
  const { read } = await startService();
  const { families } = await read();
  const own = families.filter(({ name }) => name.startsWith("calctl_"));
  expect(own).toHaveLength(3);
  const wrong = own.filter(({ name, type }) => !(type === "COUNTER" ? /_total$/ : /_seconds$/).test(name));
  expect(wrong).toEqual([]);
  expect(own.filter(({ help }) => !/^[A-Z].*\.$/.test(help))).toEqual([]);
});

test("only /metrics is there, and it can only be read", async () => {
  const { metricsUrl } = await startService();
  const statusOf = async (path: string, method: string) => {
    const response = await fetch(new URL(path, metricsUrl), { method });
    await response.arrayBuffer();
    return response.status;
  };
  expect(await statusOf("/metrics?x=1", "HEAD")).toBe(200);
  expect(await statusOf("/metrics", "POST")).toBe(405);
  expect(await statusOf("/user", "GET")).toBe(404);
});

describe("the address", () => {
  test.each(["x", "127.0.0.1", "::1", ":9464", "127.0.0.1:70000", "-1", "", "http://127.0.0.1:9464"])(
    "%j is exit 2",
    async (address) => {
      expect(await createInstallation().run(...START, `--metrics=${address}`)).toMatchObject(
        failed(2, "--metrics"),
      );
    },
  );

  test("that is in use is exit 10, before a database is made", async () => {
    const other = createServer();
    onTestFinished(() => void other.close());
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { home, run } = createInstallation();
    expect(await run(...words`service start --port 0 --metrics 127.0.0.1:${String(port)}`)).toMatchObject(
      failed(10, "--metrics"),
    );
    expect(existsSync(join(home, ".local"))).toBe(false);
  });

  test("beyond loopback is as asked, and said at the start", async () => {
    const running = createInstallation().start(...START, "--metrics", "0.0.0.0:0");
    const { metrics_url: url } = JSON.parse(await running.stdoutWith("\n"));
    await running.stderrWith(`metrics at ${url}`);
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+\/metrics$/);
    expect((await fetch(url.replace("0.0.0.0", "127.0.0.1"))).status).toBe(200);
  });
});
