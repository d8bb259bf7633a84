import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { BODY_LIMIT } from "../http/content.js";
import { discardBody } from "../http/incoming-message.js";
import { listen } from "../listen.js";
import { createOAuthStage, type OAuthStage } from "./oauth/support/stage.js";
import { openSocket, statusesOf } from "./support/connections.js";
import { activityBody, eventBody, KEEP } from "./support/event-bodies.js";

/** Bodies as they arrive over a socket. */

let stage: OAuthStage;
let listener: Awaited<ReturnType<typeof listen>>;
beforeEach(async () => {
  stage = await createOAuthStage({ rateLimit: null });
  listener = await listen(stage.world.service, { host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  await listener.close();
  await stage.world.close();
});

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** The head of a request with a token, without its last line. */
function head(method: string, target: string, headers: Readonly<Record<string, string>>): string {
  const all = { Host: listener.address, Authorization: `Bearer ${stage.world.token}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${target} HTTP/1.1`, ...lines, ""].join("\r\n");
}

describe("a body in chunks", () => {
  /** Sends a body in chunks, with trailers, and another request after it. */
  async function sendChunked(method: string, target: string, type: string, parts: readonly string[]) {
    const socket = await openSocket(listener);
    const answers = statusesOf(socket, 2);
    const headers = { "Content-Type": type, "Transfer-Encoding": "chunked", Trailer: "Authorization" };
    socket.write(`${head(method, target, headers)}\r\n`);
    for (const part of parts) {
      socket.write(`${Buffer.byteLength(part).toString(16)};note=1\r\n${part}\r\n`);
    }
    socket.write("0\r\nAuthorization: Bearer x\r\nX-Other: y\r\n\r\n");
    socket.write(`${head("GET", "/user", {})}\r\n`);
    return answers;
  }
  const halves = (body: object) => {
    const text = JSON.stringify(body);
    return [text.slice(0, 10), text.slice(10)];
  };

  test("is read at every endpoint that takes one", async () => {
    const { calendarId, token } = stage.world;
    const events = `/calendars/${calendarId}/events`;
    expect(await sendChunked("POST", events, JSON_TYPE, halves(eventBody(KEEP)))).toEqual(["201", "200"]);
    const created = await fetch(`${listener.baseUrl}${events}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": JSON_TYPE },
      body: JSON.stringify(eventBody(KEEP)),
    });
    const { data } = JSON.parse(await created.text());
    const event = `${events}/${data.id}`;
    expect(await sendChunked("PUT", event, JSON_TYPE, halves(eventBody(KEEP)))).toEqual(["200", "200"]);
    const comment = halves(activityBody("Hello"));
    expect(await sendChunked("POST", `${event}/activities`, JSON_TYPE, comment)).toEqual(["201", "200"]);
    const { client_id, client_secret } = stage.client;
    const code = "code=x&redirect_uri=y&grant_type=authorization_code";
    const form = [`client_id=${client_id}&client_secret=`, `${client_secret}&${code}`];
    // 400: the code is unknown; 403: the form is not from the page.
    expect(await sendChunked("POST", "/oauth/token", FORM_TYPE, form)).toEqual(["400", "200"]);
    const page = stage.authorize();
    expect(await sendChunked("POST", page, FORM_TYPE, ["action=", "deny"])).toEqual(["403", "200"]);
  });

  test("may have 1 MiB, and not a byte more", async () => {
    const events = `/calendars/${stage.world.calendarId}/events`;
    const text = JSON.stringify(eventBody(KEEP));
    const parts = [text, ...Array<string>(15).fill(" ".repeat(BODY_LIMIT / 16))];
    const rest = BODY_LIMIT - parts.join("").length;
    expect(await sendChunked("POST", events, JSON_TYPE, [...parts, " ".repeat(rest)])).toEqual([
      "201",
      "200",
    ]);
    const socket = await openSocket(listener);
    const answers = statusesOf(socket, 2);
    const headers = { "Content-Type": JSON_TYPE, "Transfer-Encoding": "chunked" };
    const size = BODY_LIMIT + 1;
    socket.write(
      `${head("POST", events, headers)}\r\n${size.toString(16)}\r\n${" ".repeat(size)}\r\n0\r\n\r\n`,
    );
    expect((await answers)[0]).toBe("413");
  });

  test("may have small chunks, but not so small that they cost more than the body", async () => {
    const events = `/calendars/${stage.world.calendarId}/events`;
    const text = JSON.stringify(eventBody(KEEP));
    const small = [text, ...Array<string>(5_000).fill(" ".repeat(10))];
    expect(await sendChunked("POST", events, JSON_TYPE, small)).toEqual(["201", "200"]);
    const socket = await openSocket(listener);
    const answered = statusesOf(socket, 1);
    const headers = { "Content-Type": JSON_TYPE, "Transfer-Encoding": "chunked" };
    // It has no end, which the service would otherwise wait for.
    socket.write(`${head("POST", events, headers)}\r\n${"1\r\n \r\n".repeat(100_000)}`);
    expect(await answered).toEqual(["400"]);
    socket.destroy();
  });
});

test("what discards a body reads 8 MiB, and leaves nothing on the signal, which would keep every part in memory", async () => {
  const { signal } = new AbortController();
  const server = createServer(async (request, response) => {
    await discardBody(request, signal);
    response.end(request.complete ? "all" : "a part");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const send = async (bytes: number) => {
    const init = { method: "POST", body: "x".repeat(bytes) };
    return (await fetch(`http://127.0.0.1:${address.port}`, init)).text();
  };
  expect(await send(8 * 1024 * 1024)).toBe("all");
  expect(await send(16 * 1024 * 1024)).toBe("a part");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
