import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createCertificate } from "../../service/test/support/certificate.js";
import type { Payload, TargetKind } from "../../src/delivery/target.js";
import {
  createDeliveryWorld,
  type DeliveryOptions,
  type DeliveryWorld,
  PAYLOAD,
} from "../commands/messages/support/delivery.js";
import { startConnectProxy } from "../support/connect-proxy.js";
import { type FaultServer, startFaultServer } from "../support/fault-server.js";
import { close, cut, hang, receive, reply, reset } from "../support/fault-steps.js";
import type { WireAnswer } from "../support/http-bytes.js";

/** A message on its way to a webhook, over real sockets, with answers as the platforms give them. */

const SECRET = "T024BE7LD-sentinel-B0rd3r";
const PATH = `/services/${SECRET}`;
const TOKEN = "tk_sentinel0123456789abcdefghijk";

let server: FaultServer;
let world: DeliveryWorld;

beforeEach(async () => {
  server = await startFaultServer();
  world = createDeliveryWorld();
});

function post(as: TargetKind = "slack", changes: DeliveryOptions = {}) {
  const env = { CALCTL_WEBHOOK_URL: `${server.baseUrl}${PATH}`, ...changes.env };
  return world.deliver({ as }, { ...changes, env });
}

function answer(status: number, body: unknown = "", headers: WireAnswer["headers"] = {}): WireAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/plain" : "application/json";
  return { status, headers: { "content-type": type, ...headers }, body: text };
}

describe("an accepted message", () => {
  test.each<[TargetKind, WireAnswer]>([
    ["slack", answer(200, "ok")],
    ["discord", answer(204)],
    ["teams", answer(202)],
    ["teams", answer(200, "1")],
    ["mattermost", answer(200, "ok")],
    ["googlechat", answer(200, { name: "spaces/A/messages/B" })],
    ["ntfy", answer(200, { id: "x", event: "message", message: "Today" })],
    ["json", answer(201)],
  ])("by %s is sent once, as it is", async (kind, accepted) => {
    server.on(`POST ${PATH}`, [reply(accepted)]);
    expect(await post(kind)).toEqual({ error: null, stderr: "" });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      headers: {
        "content-type": PAYLOAD.contentType,
        "x-title": "Today",
        "user-agent": expect.stringMatching(/^calctl\/\d\S+$/),
      },
    });
    expect(server.requests[0]?.body.toString()).toBe(PAYLOAD.body);
  });

  test.each([
    ["", "?wait=true"],
    ["?thread_id=12&with_components=true", "?thread_id=12&with_components=true&wait=true"],
    ["?wait=false", "?wait=true"],
  ])("by discord, whose URL ends in %j, is confirmed: %j", async (query, sent) => {
    server.otherwise([reply(answer(200, { id: "1", type: 0, content: "Today" }))]);
    const env = { CALCTL_WEBHOOK_URL: `${server.baseUrl}${PATH}${query}` };
    expect((await world.deliver({ as: "discord" }, { env })).error).toBeNull();
    expect(server.requests.map(({ target }) => target)).toEqual([`${PATH}${sent}`]);
  });

  test("by discord has the parameters that its message needs", async () => {
    server.otherwise([reply(answer(200, { id: "1", type: 0, content: "Today" }))]);
    const env = { CALCTL_WEBHOOK_URL: `${server.baseUrl}${PATH}?thread_id=12` };
    const payload = { ...PAYLOAD, query: { with_components: "true" } };
    expect((await world.deliver({ as: "discord" }, { env, payload })).error).toBeNull();
    expect(server.requests[0]?.target).toBe(`${PATH}?thread_id=12&wait=true&with_components=true`);
  });

  test("by others goes to the URL as it is", async () => {
    server.otherwise([reply(answer(200, "ok"))]);
    const env = { CALCTL_WEBHOOK_URL: `${server.baseUrl}${PATH}?sig=%2Fa` };
    expect((await world.deliver({ as: "teams" }, { env })).error).toBeNull();
    expect(server.requests[0]?.target).toBe(`${PATH}?sig=%2Fa`);
  });

  test("by ntfy has the access token of its URL in a header, and nothing else shows it", async () => {
    server.on(
      "POST /topic",
      [reply(answer(200, { id: "x", event: "message" }))],
      [reply(answer(403, { error: "forbidden" }))],
    );
    const at = (token: string) => ({
      env: { CALCTL_WEBHOOK_URL: `${server.baseUrl.replace("://", `://:${token}@`)}/topic` },
    });
    expect(await world.deliver({ as: "ntfy" }, at(TOKEN))).toEqual({ error: null, stderr: "" });
    expect(server.requests[0]).toMatchObject({
      headers: { authorization: `Bearer ${TOKEN}` },
      target: "/topic",
    });
    const { error, stderr } = await world.deliver({ as: "ntfy" }, { ...at(TOKEN), flags: { debug: true } });
    expect(error).toMatchObject({ code: "forbidden" });
    expect(JSON.stringify([error?.message, error?.hint, stderr])).not.toContain(TOKEN);
    const { id } = await world.open({ as: "ntfy" }, at(TOKEN));
    expect((await world.open({ as: "ntfy" }, at("tk_another"))).id).toBe(id);
  });

  test("by telegram goes to sendMessage of the bot", async () => {
    const bot = "/bot123456:AAF-sentinel-0123456789abcdefghij";
    server.on(`POST ${bot}/sendMessage`, [reply(answer(200, { ok: true, result: {} }))]);
    const env = { CALCTL_WEBHOOK_URL: `${server.baseUrl}${bot}` };
    expect(await world.deliver({ as: "telegram", chat: "-100" }, { env })).toEqual({
      error: null,
      stderr: "",
    });
  });
});

describe("a refused message", () => {
  test.each<[TargetKind, WireAnswer, 6 | 11, string]>([
    ["slack", answer(400, "invalid_blocks"), 11, "refused the message (400: invalid_blocks)"],
    ["slack", answer(403, "action_prohibited"), 6, "may not post (403: action_prohibited)"],
    ["slack", answer(404, "no_service"), 11, "does not exist any more (404: no_service)"],
    ["slack", answer(410, "channel_is_archived"), 11, "any more (410: channel_is_archived)"],
    ["slack", answer(413, ""), 11, "refused the message as too large (413)"],
    [
      "discord",
      answer(401, { message: "Invalid Webhook Token", code: 50027 }),
      6,
      "50027|Invalid Webhook Token",
    ],
    ["discord", answer(404, { message: "Unknown Webhook", code: 10015 }), 11, "(404: Unknown Webhook)"],
    [
      "teams",
      answer(400, { error: { code: "TriggerInputSchemaMismatch", message: "The input is wrong" } }),
      11,
      "(400: The input is wrong)",
    ],
    [
      "teams",
      answer(
        200,
        "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413",
      ),
      11,
      "HTTP error 413",
    ],
    [
      "telegram",
      answer(400, { ok: false, error_code: 400, description: "Bad Request: chat not found" }),
      11,
      "Bad Request: chat not found",
    ],
    [
      "telegram",
      answer(400, {
        ok: false,
        error_code: 400,
        description: "Bad Request: group chat was upgraded to a supergroup chat",
        parameters: { migrate_to_chat_id: -1001234567890 },
      }),
      11,
      "supergroup chat); the chat's new id is -1001234567890",
    ],
    [
      "telegram",
      answer(400, { ok: false, description: "Bad", parameters: { migrate_to_chat_id: "-1; rm" } }),
      11,
      "refused the message (400: Bad)",
    ],
    [
      "telegram",
      answer(200, { ok: false, description: "Forbidden: bot was kicked" }),
      11,
      "Forbidden: bot was kicked",
    ],
    [
      "mattermost",
      answer(400, { message: "Unable to parse incoming data", status_code: 400 }),
      11,
      "Unable to parse incoming data",
    ],
    [
      "googlechat",
      answer(400, { error: { code: 400, message: "Message cannot be empty.", status: "INVALID_ARGUMENT" } }),
      11,
      "Message cannot be empty.",
    ],
    ["ntfy", answer(403, { code: 40301, http: 403, error: "forbidden" }), 6, "(403: forbidden)"],
    ["json", answer(302, "", { location: "https://elsewhere.example/x" }), 11, "redirects elsewhere (302)"],
    ["json", answer(422, "<html><h1>No</h1></html>"), 11, "refused the message (422)"],
  ])("by %s (%o) is exit %i, and sent once", async (kind, refusal, exitCode, words) => {
    server.otherwise([reply(refusal)]);
    const url =
      kind === "telegram" ? { CALCTL_WEBHOOK_URL: `${server.baseUrl}/bot1:sentinel-${SECRET}` } : {};
    const chat = kind === "telegram" ? { chat: "1" } : {};
    const env = { CALCTL_WEBHOOK_URL: `${server.baseUrl}${PATH}`, ...url };
    const { error } = await world.deliver({ as: kind, ...chat }, { env });
    expect(error).toMatchObject({ code: exitCode === 6 ? "forbidden" : "rejected", exitCode });
    expect(error?.message).toMatch(new RegExp(words.split("|").at(-1)?.replace(/[().]/g, "\\$&") ?? ""));
    expect(`${error?.message} ${error?.hint}`).not.toContain(SECRET);
    expect(server.requests).toHaveLength(1);
  });

  test("says what to do about a webhook that is gone", async () => {
    server.otherwise([reply(answer(404, "no_service"))]);
    expect((await post()).error?.hint).toBe("create a new one, and set CALCTL_WEBHOOK_URL to its URL");
    const url = `${server.baseUrl}${PATH}`;
    const file = join(world.directory, "calctl-webhook-url");
    writeFileSync(file, url, { mode: 0o600 });
    const hintOf = async (env: Readonly<Record<string, string>>) =>
      (await world.deliver({ as: "slack" }, { env })).error?.hint;
    expect(await hintOf({ CALCTL_WEBHOOK_URL_FILE: file })).toBe(
      `create a new one, and write its URL into ${file}`,
    );
    expect(await hintOf({ CREDENTIALS_DIRECTORY: world.directory })).toBe(
      "create a new one, and write its URL into the file that the unit loads as calctl-webhook-url",
    );
    expect(await world.run(url, "targets", "add", "team", "--as", "slack", "--insecure-storage")).toBe(0);
    const { error } = await world.deliver({ to: "team" });
    expect(error?.message).toBe("target team does not exist any more (404: no_service)");
    expect(error?.hint).toBe("create a new one, and run calctl targets add team --as slack --replace");
  });

  test("shows at most 200 characters of the reason, on one line, and never the URL", async () => {
    const reason = `${server.baseUrl}${PATH} is\nbad ${"😀".repeat(300)}`;
    server.otherwise([reply(answer(400, reason))]);
    const { error } = await post();
    const shown = /\(400: (.*)\)$/.exec(error?.message ?? "")?.[1] ?? "";
    expect(shown).toMatch(/^\*\*\* is bad 😀+…$/u);
    expect([...shown]).toHaveLength(200);
  });

  test("shows no part of the URL where the reason is cut off", async () => {
    server.otherwise([reply(answer(400, `${"x".repeat(195)}${PATH}`))]);
    expect((await post()).error?.message).toMatch(/\(400: x{195}\/\*\*\*\)$/);
  });
});

describe("a message that slack refuses for its blocks", () => {
  const SMALLER: Payload = { ...PAYLOAD, body: JSON.stringify({ text: "Today" }) };
  const payload: Payload = { ...PAYLOAD, smaller: () => SMALLER };

  test.each(["invalid_blocks", "msg_blocks_too_long"])("(%s) is sent once more, smaller", async (reason) => {
    server.next([reply(answer(400, reason))], [reply(answer(200, "ok"))]);
    expect((await post("slack", { payload })).error).toBeNull();
    expect(server.requests.map(({ body }) => body.toString())).toEqual([PAYLOAD.body, SMALLER.body]);
  });

  test("is refused when the smaller one is, too", async () => {
    server.otherwise([reply(answer(400, "invalid_blocks"))]);
    expect((await post("slack", { payload })).error).toMatchObject({ code: "rejected", exitCode: 11 });
    expect(server.requests).toHaveLength(2);
  });

  test("may have arrived when nothing is known of the smaller one", async () => {
    server.next([reply(answer(400, "invalid_blocks"))], [receive, reset]);
    expect((await post("slack", { payload })).error).toMatchObject({ code: "outcome_unknown", exitCode: 9 });
  });

  test.each([
    [400, "no_text"],
    [404, "no_service"],
    [500, "invalid_blocks"],
  ])("is not sent again after %i %s", async (status, reason) => {
    server.otherwise([reply(answer(status, reason))]);
    expect((await post("slack", { payload })).error).not.toBeNull();
    expect(server.requests).toHaveLength(1);
  });
});

describe("a message whose outcome is unknown is exit 9, and sent once", () => {
  test.each([
    ["no answer, but a reset", [receive, reset]],
    ["no answer, but the end", [receive, close]],
    ["500", [reply(answer(500, "rollup_error"))]],
    ["503 with Retry-After", [reply(answer(503, "", { "retry-after": "1" }))]],
    ["a success cut short", [cut(answer(200, "ok and more"), { at: -4 })]],
    ["a web page", [reply(answer(200, "<!DOCTYPE html><title>Sign in</title>"))]],
  ])("after %s", async (_, script) => {
    server.otherwise(script);
    const { error } = await post();
    expect(error).toMatchObject({ code: "outcome_unknown", exitCode: 9 });
    expect(error?.hint).toContain("check whether it arrived");
    expect(server.requests).toHaveLength(1);
  });

  test("after the timeout", async () => {
    server.otherwise([receive, hang]);
    const { error } = await post("slack", { flags: { timeout: "0.2" } });
    expect(error).toMatchObject({ exitCode: 9, message: expect.stringContaining("after 0.2 seconds") });
    expect(server.requests).toHaveLength(1);
  });

  test("and after Ctrl-C it is 130, with a warning", async () => {
    let interrupt: () => void = () => undefined;
    server.otherwise([receive, () => interrupt(), hang]);
    const { error } = await post("slack", {
      onStart: (stop) => {
        interrupt = stop;
      },
    });
    expect(error).toMatchObject({ exitCode: 130, mayHaveSucceeded: true });
  });
});

describe("a message that certainly did not arrive", () => {
  test("because nobody listens is exit 8 after all retries", async () => {
    const env = { CALCTL_WEBHOOK_URL: "http://127.0.0.1:9/services/sentinel-0123456789" };
    const { error, stderr } = await world.deliver({ as: "slack" }, { env });
    expect(error).toMatchObject({ code: "unavailable", exitCode: 8 });
    expect(error?.message).toBe("CALCTL_WEBHOOK_URL: 127.0.0.1:9 refused the connection");
    expect(world.pauses).toHaveLength(3);
    expect(stderr).toContain("retrying");
    expect(stderr).not.toContain("sentinel");
  });

  test("because of a certificate that is not trusted is exit 10", async () => {
    const tls = await startFaultServer({ tls: createCertificate() });
    const env = { CALCTL_WEBHOOK_URL: `${tls.baseUrl}${PATH}` };
    const { error } = await world.deliver({ as: "slack" }, { env });
    expect(error).toMatchObject({ exitCode: 10, message: expect.stringContaining("self-signed") });
    expect(tls.requests).toEqual([]);
  });

  test("because of a proxy that refuses is exit 10", async () => {
    const proxy = await startConnectProxy({ target: server.host, answer: "HTTP/1.1 403 No\r\n\r\n" });
    const env = {
      CALCTL_WEBHOOK_URL: "https://hooks.example/sentinel-0123456789",
      HTTPS_PROXY: `http://${proxy.host}`,
    };
    const { error } = await world.deliver({ as: "slack" }, { env });
    expect(error).toMatchObject({ code: "configuration", exitCode: 10 });
    expect(proxy.requests.map(({ target }) => target)).toEqual(["hooks.example:443"]);
  });
});

describe("a rate limit", () => {
  /** The wait is a second longer than asked for, and up to one more. */
  const PADDING = 1500;

  test.each<[string, TargetKind, WireAnswer, number]>([
    [
      "Retry-After of Slack's methods",
      "slack",
      answer(429, { ok: false, error: "ratelimited" }, { "retry-after": "9" }),
      9000,
    ],
    ["Retry-After of Slack", "slack", answer(429, "rate_limited", { "retry-after": "7" }), 7000],
    [
      "retry_after of Discord",
      "discord",
      answer(429, { message: "You are being rate limited.", retry_after: 4.62, global: false }),
      4620,
    ],
    [
      "X-RateLimit-Reset-After of Discord, whose Retry-After may be milliseconds",
      "discord",
      answer(429, { retry_after: 2500 }, { "retry-after": "2500", "x-ratelimit-reset-after": "2.5" }),
      2500,
    ],
    [
      "parameters.retry_after of Telegram",
      "json",
      answer(429, {
        ok: false,
        error_code: 429,
        description: "Too Many Requests",
        parameters: { retry_after: 13 },
      }),
      13_000,
    ],
    ["nothing", "teams", answer(429), 1000],
  ])("is waited for, by %s, and the message then sent", async (_, kind, refusal, wait) => {
    server.next([reply(refusal)], [reply(answer(200, "ok"))]);
    expect((await post(kind)).error).toBeNull();
    expect(world.pauses).toEqual([wait + PADDING]);
    expect(server.requests.map(({ body }) => body.toString())).toEqual([PAYLOAD.body, PAYLOAD.body]);
  });

  test("beyond --max-wait is exit 7, and says when", async () => {
    server.otherwise([reply(answer(429, "rate_limited", { "retry-after": "100" }))]);
    const { error } = await post();
    expect(error).toMatchObject({ code: "rate_limited", exitCode: 7, status: 429 });
    expect(error?.hint).toBe("try again in 100 seconds, or wait for it with --max-wait 100");
    expect(server.requests).toHaveLength(1);
  });

  test("that Discord announces delays the next message, also of the next run, and no other webhook", async () => {
    const announced = { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "1.5" };
    server.otherwise([reply(answer(204, "", announced))]);
    await post("discord");
    expect(world.pauses).toEqual([]);
    const env = { CALCTL_WEBHOOK_URL: `${server.baseUrl}/services/another-0123456789` };
    await world.deliver({ as: "discord" }, { env });
    expect(world.pauses).toEqual([]);
    await post("discord");
    expect(world.pauses).toEqual([2000 + PADDING]);
  });
});

test("--debug shows host, payload and answer, and never the URL", async () => {
  server.otherwise([reply(answer(200, `ok ${PATH}`, { "x-echo": `${server.baseUrl}${PATH}` }))]);
  const { stderr } = await post("slack", { flags: { debug: true, verbose: true } });
  expect(stderr).toContain(`POST ${server.baseUrl}/*** 200`);
  expect(stderr).toContain("Today: Choir");
  expect(stderr).toContain("x-echo");
  expect(stderr).not.toContain(SECRET);
});
