import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createGate } from "../../test/support/gate.js";
import type { ServiceResponse } from "../http/response.js";
import { type ListenOptions, listen } from "../listen.js";
import type { Service } from "../service.js";
import { openSocket, statusesOf } from "./support/connections.js";
import { openConnection } from "./support/database.js";
import { eventBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { createMany } from "./support/many-events.js";
import { request, sendOverSocket } from "./support/send.js";
import { createWorld, type World } from "./support/world.js";

/** Clients that send too much, too fast or too slowly, beside one that does not. */

const LOCAL = { host: "127.0.0.1", port: 0 } as const;

let world: World;
beforeAll(async () => {
  world = await createWorld({ rateLimit: { limit: 1_000_000, windowSeconds: 600 } });
});
afterAll(() => world.close());

async function start(options: Partial<ListenOptions> = {}, service: Service = world.service) {
  const listener = await listen(service, { ...LOCAL, ...options });
  onTestFinished(() => listener.close());
  return listener;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const GET_USER = "GET /user HTTP/1.1\r\nHost: x\r\n\r\n";

/** The service, and what its responses were for, in order. */
function recordOrder(noteOf: (...asked: Parameters<Service["handle"]>) => string) {
  const order: string[] = [];
  const handle: Service["handle"] = async (request, source) => {
    const response = await world.service.handle(request, source);
    order.push(noteOf(request, source));
    return response;
  };
  return { service: { ...world.service, handle }, order };
}

describe("requests that one connection sends at once", () => {
  test("are answered in order, if they are few", async () => {
    const socket = await openSocket(await start());
    socket.write(GET_USER.repeat(8) + GET_USER.replace("/user", "/healthz").repeat(8));
    expect(await statusesOf(socket, 16)).toEqual([...Array(8).fill("401"), ...Array(8).fill("200")]);
  });

  test("close it if they are many, and another client's request is answered at once", async () => {
    const { service, order } = recordOrder(({ headers }) => headers["authorization"] ?? "");
    const listener = await start({}, service);
    const attacker = await openSocket(listener);
    const quiet = await openSocket(listener);
    const answered = statusesOf(attacker, 10_000);
    attacker.write(GET_USER.repeat(10_000));
    quiet.write(GET_USER.replace("Host", `Authorization: Bearer ${world.token}\r\nHost`));
    expect(await statusesOf(quiet, 1)).toEqual(["200"]);
    expect((await answered).length).toBeLessThanOrEqual(16);
    expect(order.length).toBeLessThanOrEqual(17);
  });
});

test("a flood over many connections has one turn of the event loop for each of another client's", async () => {
  const { service, order } = recordOrder(addressOf);
  const listener = await start({ trustProxy: "127.0.0.1" }, service);
  const from = (address: string) => GET_USER.replace("Host", `X-Forwarded-For: ${address}\r\nHost`);
  const flood = await Promise.all(Array.from({ length: 20 }, () => openSocket(listener)));
  const quiet = await openSocket(listener);
  for (const socket of flood) socket.write(from("192.0.2.1").repeat(10));
  quiet.write(from("192.0.2.2").repeat(10));
  expect(await statusesOf(quiet, 10)).toEqual(Array(10).fill("401"));
  const until = order.lastIndexOf("192.0.2.2");
  expect(order.slice(0, until).filter((address) => address === "192.0.2.1").length).toBeLessThan(60);
});

const addressOf: Parameters<typeof recordOrder>[0] = (_, source) =>
  source.kind === "network" ? source.address : "";

describe("one client, whatever it sends, has one turn for each of another client's", () => {
  /** Sends one request on each of many connections, then one of another member. Resolves with those served before it. */
  async function servedBefore(authorizations: readonly string[]): Promise<number> {
    const { service, order } = recordOrder(({ headers }) => headers["authorization"] ?? "");
    const quiet = `Bearer ${(await world.service.admin.tokens.create({ user: "second", readOnly: false })).token}`;
    const listener = await start({}, service);
    const requestOf = (token: string) => GET_USER.replace("Host", `Authorization: ${token}\r\nHost`);
    const answer = async (socket: Socket, token: string) => {
      const answered = statusesOf(socket, 1);
      socket.write(requestOf(token));
      return answered;
    };
    const send = sendOverSocket(listener.baseUrl);
    const spelled = new Set(authorizations.map((authorization) => authorization.replace(/\s+/g, " ")));
    // The service has seen each token once.
    for (const authorization of [...spelled, quiet]) {
      await send({ method: "GET", target: "/user", headers: { authorization }, body: new Uint8Array() });
    }
    const sockets = await Promise.all(authorizations.map(() => openSocket(listener)));
    const other = await openSocket(listener);
    // Every connection is accepted.
    await Promise.all([...sockets, other].map((socket) => answer(socket, "none")));
    order.length = 0;
    const flood = sockets.map((socket, index) => answer(socket, authorizations[index] ?? ""));
    await answer(other, quiet);
    const before = order.indexOf(quiet);
    await Promise.all(flood);
    expect(order).toHaveLength(authorizations.length + 1);
    return before;
  }

  test("the same token in different spellings", async () => {
    const spellings = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0
        ? `Bearer ${" ".repeat(index)}${world.token}`
        : `bearer ${world.token}${" ".repeat(index)}`,
    );
    expect(await servedBefore(spellings)).toBeLessThan(10);
  });

  test("tokens that do not exist", async () => {
    expect(await servedBefore(Array.from({ length: 40 }, (_, index) => `Bearer x${index}`))).toBeLessThan(10);
  });

  test("many tokens of one user", async () => {
    const create = () => world.service.admin.tokens.create({ user: "member", readOnly: false });
    const tokens = await Promise.all(Array.from({ length: 40 }, create));
    expect(await servedBefore(tokens.map(({ token }) => `Bearer ${token}`))).toBeLessThan(10);
  });
});

test("a new connection does not wait for the work of those that were made before it", async () => {
  const { service, order } = recordOrder(addressOf);
  const { baseUrl } = await start({ trustProxy: "127.0.0.1" }, service);
  const connectFrom = (address: string): Socket => {
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(GET_USER.replace("Host", `X-Forwarded-For: ${address}\r\nHost`));
    return socket;
  };
  // What is loaded by the first request takes longer than connections are waited for.
  await statusesOf(connectFrom("192.0.2.3"), 1);
  order.length = 0;
  const sockets = [...Array<string>(15).fill("192.0.2.1"), "192.0.2.2"].map(connectFrom);
  await Promise.all(sockets.map((socket) => statusesOf(socket, 1)));
  expect(order).toHaveLength(16);
  expect(order.indexOf("192.0.2.2")).toBeLessThan(5);
});

describe("connections", () => {
  test.each([
    ["of one address are at most 100, and those in excess are closed", {}, 100],
    ["of a proxy are not limited by address", { trustProxy: "127.0.0.1" }, 130],
    ["of a neighbor of the proxy are limited like any others", { trustProxy: "127.0.0.9" }, 100],
  ])("%s", async (_, options, answered) => {
    const listener = await start(options);
    const sockets = await Promise.all(Array.from({ length: 130 }, () => openSocket(listener)));
    for (const socket of sockets) socket.write(GET_USER);
    const answers = await Promise.all(sockets.map((socket) => statusesOf(socket, 1)));
    expect(answers.flat()).toEqual(Array(answered).fill("401"));
  });

  test.each([
    ["does not read its response in time", { sendTimeout: (): number => 1 }],
    [
      "takes nothing at all, however long a response of that size may take",
      { sendTimeout: (): number => 1_000_000, stallTimeout: 1 },
    ],
  ])("are cut when the client %s", async (_, timeouts) => {
    const large: ServiceResponse = { status: 200, headers: {}, body: new Uint8Array(64 * 1024 * 1024) };
    const service = { ...world.service, handle: async () => large };
    const listener = await start({ ...timeouts, closeTimeout: 1_000_000 }, service);
    const slow = await openSocket(listener);
    slow.write(GET_USER);
    await once(slow, "readable");
    // It waits for the response, and no longer than that takes.
    await listener.close();
    slow.resume();
    if (!slow.closed) await once(slow, "close");
    expect(slow.bytesRead).toBeLessThan(large.body.byteLength);
  });
});

test("a request that does not arrive in time is refused", async () => {
  const requestTimeouts = { requestTimeout: 2, headersTimeout: 1, connectionsCheckingInterval: 1 };
  const socket = await openSocket(await start({ requestTimeouts }));
  const answered = statusesOf(socket, 2);
  socket.write("GET /user HTTP/1.1\r\n");
  expect(await answered).toEqual(["408"]);
});

describe("responses that were not received yet", () => {
  const MIB = 1024 * 1024;

  test("are at most 32 MiB of one address, whatever was asked at once", async () => {
    const logged: number[] = [];
    const sizes: number[] = [];
    const allHandled = createGate();
    const service: Service = {
      ...world.service,
      handle: async (request, source) => {
        const response = await world.service.handle(request, source);
        logged.push(response.status);
        if (logged.length === 6) allHandled.open();
        if (response.status !== 200) return response;
        sizes.push(response.body.byteLength);
        await allHandled.opened;
        // More than the buffers of a connection hold, whatever the system allows them.
        return { ...response, body: new Uint8Array(64 * MIB) };
      },
    };
    await createMany(world, 195, { ...SCHEDULE, description: "\u0001".repeat(10_000) });
    const listener = await start({}, service);
    const sockets = await Promise.all(Array.from({ length: 7 }, () => openSocket(listener)));
    const request = [
      `GET /calendars/${world.calendarId}/upcoming_events?days=7 HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${world.token}`,
      "\r\n",
    ].join("\r\n");
    const ask = async (socket: Socket) => {
      socket.write(request);
      await once(socket, "readable");
      const chunk: Buffer = socket.read();
      return chunk.toString("latin1").split("\r\n\r\n")[0] ?? "";
    };
    const heads = await Promise.all(sockets.slice(0, 6).map(ask));
    // Nobody reads the bodies.
    for (const socket of sockets.slice(6)) heads.push(await ask(socket));
    expect(heads.filter((head) => head.startsWith("HTTP/1.1 200 "))).toHaveLength(2);
    expect(Math.min(...sizes)).toBeGreaterThan(11 * MIB);
    const refused = heads.filter(
      (head) => head.startsWith("HTTP/1.1 429 ") && /retry-after: 1\b/i.test(head),
    );
    expect(refused).toHaveLength(5);
    expect(Math.max(...refused.map(lengthOf))).toBeLessThan(1000);
    // The log has what the clients got.
    expect(logged.sort()).toEqual([200, 200, 429, 429, 429, 429, 429]);
  });

  const lengthOf = (head: string) => Number(/content-length: (\d+)/i.exec(head)?.[1]);
});

describe("requests in progress", () => {
  /** Bodies that arrive when the test says so. */
  function createUploads() {
    const begun: (() => void)[] = [];
    const read = () =>
      new Promise<Uint8Array>((resolve) => begun.push(() => resolve(new TextEncoder().encode("{}"))));
    return { begun, read };
  }
  const post = (token: string, body: () => Promise<Uint8Array>) =>
    world.service.handle(
      {
        method: "POST",
        target: `/calendars/${world.calendarId}/events`,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      },
      { kind: "network", address: "192.0.2.1" },
    );

  test("of one token are at most 64, and another token goes on", async () => {
    const { begun, read } = createUploads();
    const uploads = Array.from({ length: 64 }, () => post(world.token, read));
    while (begun.length < 64) await nextTurn();
    expect(await post(world.token, read)).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    expect(begun).toHaveLength(64);
    const { token } = await world.service.admin.tokens.create({ user: "second", readOnly: false });
    const other = post(token, async () => new TextEncoder().encode("{}"));
    expect((await other).status).toBe(400);
    for (const finish of begun) finish();
    expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual(Array(64).fill(400));
    expect((await post(world.token, async () => new Uint8Array())).status).toBe(400);
  });

  const postAnonymously = (address: string, body: () => Promise<Uint8Array>) =>
    world.service.handle(
      { method: "POST", target: "/oauth/token", headers: {}, body },
      { kind: "network", address },
    );

  test("wait for the bodies of others that have no token", async () => {
    const { begun, read } = createUploads();
    let refused = 0;
    const uploads = Array.from({ length: 640 }, async (_, index) => {
      const response = await postAnonymously(`192.0.2.${index >> 4}`, read);
      if (response.status === 503) refused += 1;
      return response;
    });
    while (begun.length + refused < 640) await nextTurn();
    const user = { method: "GET", target: "/user", headers: { authorization: `Bearer ${world.token}` } };
    const from = { kind: "network", address: "198.51.100.1" } as const;
    const statusOf = async (answer: Promise<ServiceResponse>) => (await answer).status;
    expect(await statusOf(world.service.handle({ ...user, body: new Uint8Array() }, from))).toBe(200);
    const event = new TextEncoder().encode(JSON.stringify(eventBody(KEEP)));
    expect(await statusOf(post(world.token, async () => event))).toBe(201);
    expect(begun).toHaveLength(256);
    for (const finish of begun) finish();
    const statuses = (await Promise.all(uploads)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(256).fill(400), ...Array(384).fill(503)]);
  });

  test("of requests that read are not waited for", async () => {
    const { begun, read } = createUploads();
    const target = "/oauth/authorize";
    const requests = Array.from({ length: 512 }, (_, index) =>
      world.service.handle(
        { method: "GET", target, headers: {}, body: read },
        { kind: "network", address: `192.0.2.${index >> 6}` },
      ),
    );
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect([new Set(statuses), begun]).toEqual([new Set([400]), []]);
  });

  test("that have no token are at most 16 of one address while their bodies arrive", async () => {
    const { begun, read } = createUploads();
    const uploads = Array.from({ length: 17 }, () => postAnonymously("192.0.2.1", read));
    expect(await uploads[16]).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    for (const finish of begun) finish();
    expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual([...Array(16).fill(400), 429]);
    expect((await postAnonymously("192.0.2.1", async () => new Uint8Array())).status).toBe(400);
  });

  test("that wait for the lock of the database leave room for those that read", async () => {
    const pauses: (() => void)[] = [];
    const sleep = () => new Promise<void>((resolve) => pauses.push(resolve));
    const stored = await createWorld({ rateLimit: null, sleep });
    onTestFinished(() => stored.close());
    const other = openConnection(stored.database);
    onTestFinished(() => other.close());
    const send = (method: string, target: string, address: string) =>
      request(stored, `${method} ${target}`, { source: { kind: "network", address } });
    other.exec("begin immediate");
    const target = `/calendars/${stored.calendarId}/events/none`;
    const writes = Array.from({ length: 576 }, (_, index) => send("DELETE", target, `192.0.2.${index >> 6}`));
    while (pauses.length < 512) await nextTurn();
    expect((await send("GET", "/user", "192.0.2.0")).status).toBe(200);
    expect((await send("GET", "/calendars", "198.51.100.1")).status).toBe(200);
    other.exec("commit");
    for (const resume of pauses) resume();
    const statuses = (await Promise.all(writes)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(512).fill(404), ...Array(64).fill(503)]);
  });

  test("are refused before their body arrives", async () => {
    const limited = await createWorld({ rateLimit: { limit: 2, windowSeconds: 600 } });
    onTestFinished(() => limited.close());
    const listener = await start({}, limited.service);
    const unfinished = async (token: string) => {
      const socket = await openSocket(listener);
      const head = `POST /calendars/${limited.calendarId}/events HTTP/1.1\r\nHost: x\r\nContent-Length: 100000`;
      socket.write(`${head}\r\nAuthorization: Bearer ${token}\r\n\r\n{`);
      return (await statusesOf(socket, 1))[0];
    };
    expect(await unfinished("guessed")).toBe("401");
    expect(await unfinished(limited.readOnlyToken)).toBe("403");
    const post = { method: "POST", target: "/nothing", body: new Uint8Array() };
    const send = sendOverSocket(listener.baseUrl);
    const headers = { authorization: `Bearer ${limited.token}` };
    for (let count = 0; count < 2; count += 1) await send({ ...post, headers });
    expect(await unfinished(limited.token)).toBe("429");
  });

  test("have at most 1 MiB of bodies in memory for one address, and 16 MiB in all, without a token", async () => {
    const listener = await start({ trustProxy: "127.0.0.1" });
    const mib = 1024 * 1024;
    const upload = async (target: string, address: string, authorization: string) => {
      const socket = await openSocket(listener);
      const head = [
        `POST ${target} HTTP/1.1`,
        "Host: x",
        `X-Forwarded-For: ${address}`,
        `Authorization: ${authorization}`,
        "Content-Type: application/json",
        `Content-Length: ${mib}`,
      ].join("\r\n");
      const answered = statusesOf(socket, 1);
      await new Promise((resolve) => socket.write(`${head}\r\n\r\n${" ".repeat(mib - 1)}`, resolve));
      return { socket, answered };
    };
    const anonymous = (address: string) => upload("/oauth/token", address, "");
    const refused = (uploads: readonly Awaited<ReturnType<typeof upload>>[]) =>
      Promise.race(uploads.map(({ answered }) => answered));
    const uploads = await Promise.all(
      Array.from({ length: 16 }, (_, index) => anonymous(`192.0.2.${index}`)),
    );
    // The service decides which of two is refused: their parts arrive in any order.
    uploads.push(await anonymous("192.0.2.0"));
    expect(await refused(uploads)).toEqual(["429"]);
    const waiting = uploads.filter(({ socket }) => socket.bytesRead === 0);
    waiting.push(await anonymous("192.0.2.99"));
    expect(await refused(waiting)).toEqual(["503"]);
    const events = `/calendars/${world.calendarId}/events`;
    const member = await upload(events, "192.0.2.0", `Bearer ${world.token}`);
    member.socket.write(" ");
    expect(await member.answered).toEqual(["400"]);
    const others = waiting.filter(({ socket }) => socket.bytesRead === 0);
    for (const { socket } of others) socket.write(" ");
    const answers = await Promise.all(others.map(({ answered }) => answered));
    expect(answers.flat()).toEqual(Array(16).fill("400"));
  });

  test("have at most 8 MiB of bodies in memory for one address", async () => {
    const listener = await start();
    const mib = 1024 * 1024;
    const head = [
      `POST /calendars/${world.calendarId}/events HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${world.token}`,
      "Content-Type: application/json",
      `Content-Length: ${mib}`,
    ].join("\r\n");
    const sockets = await Promise.all(Array.from({ length: 9 }, () => openSocket(listener)));
    const answers = sockets.map((socket) => statusesOf(socket, 1));
    for (const socket of sockets) socket.write(`${head}\r\n\r\n${" ".repeat(mib - 1)}`);
    expect(await Promise.race(answers)).toEqual(["429"]);
    for (const socket of sockets) socket.write(" ");
    const statuses = (await Promise.all(answers)).flat().sort();
    expect(statuses).toEqual([...Array(8).fill("400"), "429"]);
  });
});

test("a refused body of a client that goes on sending does not take its response away", async () => {
  const listener = await start();
  const { baseUrl } = listener;
  const answer = await sendOverSocket(baseUrl)({
    method: "POST",
    target: `/calendars/${world.calendarId}/events`,
    headers: {},
    body: new Uint8Array(4 * 1024 * 1024),
  });
  expect(answer).toMatchObject({ status: 401, headers: { connection: "close" } });
});

describe("a request after a response that closes the connection", () => {
  const TOO_MUCH = `POST /calendars/x/events HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n${"x".repeat(200_000)}`;

  test("is not handled, and leaves nothing behind", async () => {
    const handled: string[] = [];
    const service: Service = {
      ...world.service,
      handle: async (request, source) => {
        handled.push(`${request.method} ${request.target}`);
        return world.service.handle(request, source);
      },
    };
    const listener = await start({ closeTimeout: 1_000_000 }, service);
    for (let count = 0; count < 101; count += 1) {
      const socket = await openSocket(listener);
      socket.write(TOO_MUCH + GET_USER);
      expect(await statusesOf(socket, 2)).toEqual(["401"]);
      if (!socket.closed) await once(socket, "close");
    }
    expect(handled).toEqual(Array(101).fill("POST /calendars/x/events"));
    // More than 100 connections were given back, and nothing is in progress.
    await listener.close();
  });

  test("is not handled during a shutdown", async () => {
    const begun: (() => void)[] = [];
    const service: Service = {
      ...world.service,
      handle: () =>
        new Promise((resolve) => {
          begun.push(() => resolve({ status: 200, headers: {}, body: new Uint8Array() }));
        }),
    };
    const listener = await start({ closeTimeout: 1_000_000 }, service);
    const socket = await openSocket(listener);
    const answers = statusesOf(socket, 3);
    socket.write(GET_USER.repeat(3));
    while (begun.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const closed = listener.close();
    begun[0]?.();
    await closed;
    expect(await answers).toEqual(["200"]);
    expect(begun).toHaveLength(1);
  });
});

test("a client that has not received its responses gets no more of them, and no write is refused after it was done", async () => {
  const large = await createWorld({ rateLimit: { limit: 1000, windowSeconds: 600 } });
  onTestFinished(() => large.close());
  const handled: (string | undefined)[] = [];
  const service: Service = {
    ...large.service,
    handle: async (request, source) => {
      if (request.target === "/large") {
        return { status: 200, headers: {}, body: new Uint8Array(65 * 1024 * 1024) };
      }
      const response = await large.service.handle(request, source);
      handled.push(`${request.method} ${response.status}`);
      return response;
    },
  };
  const listener = await start({}, service);
  const slow = await openSocket(listener);
  slow.write(GET_USER.replace("/user", "/large"));
  await once(slow, "readable");
  const response = await sendOverSocket(listener.baseUrl)({
    method: "POST",
    target: `/calendars/${large.calendarId}/events`,
    headers: { authorization: `Bearer ${large.token}`, "content-type": "application/json" },
    body: new TextEncoder().encode(JSON.stringify(eventBody(KEEP))),
  });
  expect(response).toMatchObject({
    status: 429,
    headers: { "retry-after": "1", "x-ratelimit-remaining": "999", "x-request-id": expect.any(String) },
  });
  expect(handled).toEqual(["POST 429"]);
});
