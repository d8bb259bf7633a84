import { describe, expect, test } from "vitest";
import type { HttpMethod } from "../../../contract/routes.js";
import { createRateLimiter, type WaitNotice } from "../../../src/api/sending/rate-limit.js";
import { DEFAULT_RETRY_POLICY } from "../../../src/api/sending/retry.js";
import { createSender, type RequestErrors } from "../../../src/api/sending/sender.js";
import { type HttpResponse, TransportError } from "../../../src/api/transport.js";
import { CliError } from "../../../src/errors.js";

/** The sender serves any service, here a chat webhook: its statuses and messages are not those of the contract. */

const WEBHOOK_ERRORS: RequestErrors = {
  fromResponse: ({ status }, attempts) =>
    status === 404
      ? new CliError("configuration", "the webhook was deleted", { status })
      : new CliError("rejected", `the chat returned ${status} (${attempts})`, { status }),
  fromTransport: (error, attempts) =>
    new CliError("unavailable", `no word from the chat: ${error.message} (${attempts})`, { cause: error }),
  fromRateLimit: ({ wait }) => new CliError("rate_limited", `the chat wants ${wait} ms of silence`),
  checkHint: "check the channel",
};

function response(status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return { status, headers, body: new TextEncoder().encode("ok") };
}

const UNREACHABLE = new TransportError("offline", { kind: "unreachable", sent: "no", reason: "ENETDOWN" });
const CLOSED = new TransportError("closed", { kind: "closed", sent: "maybe", reason: "ECONNRESET" });

/** Sends a message to a webhook that behaves as given. */
async function post(
  behavior: readonly (HttpResponse | Error)[],
  method: HttpMethod = "POST",
  givenKey?: string,
) {
  const remaining = [...behavior];
  const notices: WaitNotice[] = [];
  const clock = { now: () => 0, sleep: async () => undefined, random: () => 0.5 };
  const onWait = (notice: WaitNotice) => notices.push(notice);
  const send = createSender({
    transport: async () => {
      const next = remaining.shift();
      if (next === undefined) throw new Error("sent too often");
      if (next instanceof Error) throw next;
      return next;
    },
    policy: DEFAULT_RETRY_POLICY,
    limiter: createRateLimiter({ maxWait: 5_000, maxSleep: 5_000, clock, store: undefined, onWait }),
    clock,
    onWait,
    signal: new AbortController().signal,
    onResponse: () => undefined,
  });
  const result = await send({
    request: { method, url: "https://chat.example/hooks/secret", headers: {}, body: "hello" },
    name: "the webhook",
    errors: { ...WEBHOOK_ERRORS, givenKey },
    read: async ({ body }) => new TextDecoder().decode(body),
  }).catch((error: unknown) => error);
  expect(remaining).toEqual([]);
  return { result, notices };
}

describe("a request to a service with errors of its own", () => {
  test("says what to do once a POST with a given key was interrupted", async () => {
    const cut = { mayHaveSucceeded: true, hint: "check before you repeat it", exitCode: 143 };
    const interrupted = new CliError("interrupted", "terminated", cut);
    const hintOf = async (error: Error, key?: string) =>
      ((await post([error], "POST", key)).result as CliError).hint;
    expect(await hintOf(interrupted, "k1")).toBe(
      "a POST was in progress and may have succeeded; repeat the same command: its key creates nothing twice",
    );
    expect(await hintOf(interrupted)).toBe("check before you repeat it");
    expect(await hintOf(new CliError("interrupted", "terminated"), "k1")).toBeUndefined();
  });

  test("reads a success", async () => {
    expect(await post([response(200)])).toEqual({ result: "ok", notices: [] });
  });

  test("fails with its own error for a status", async () => {
    const { result } = await post([response(404)]);
    expect(result).toMatchObject({ code: "configuration", message: "the webhook was deleted", status: 404 });
  });

  test("is retried when nothing was sent, with its own name in the notice", async () => {
    const { result, notices } = await post([UNREACHABLE, response(200)]);
    expect(result).toBe("ok");
    const notice = { kind: "retry", request: "the webhook", reason: "offline", retry: 1, retries: 3 };
    expect(notices).toEqual([{ ...notice, delay: 250 }]);
  });

  test("waits for its rate limit, or fails with its own message", async () => {
    expect((await post([response(429, { "retry-after": "1" }), response(200)])).result).toBe("ok");
    expect((await post([response(429, { "retry-after": "60" })])).result).toMatchObject({
      code: "rate_limited",
      message: "the chat wants 60000 ms of silence",
    });
  });

  test.each([
    ["a 5xx", response(503), "the chat returned 503 (1)"],
    ["no response", CLOSED, "no word from the chat: closed (1)"],
  ])("is a POST that may have succeeded after %s: exit 9", async (_, behavior, message) => {
    expect((await post([behavior])).result).toMatchObject({
      code: "outcome_unknown",
      message: `${message}; the write may have succeeded`,
      hint: "check the channel",
    });
  });

  test("is a PUT that may have succeeded before it was refused: exit 8", async () => {
    expect((await post([CLOSED, response(404)], "PUT")).result).toMatchObject({
      code: "unavailable",
      message: "the webhook was deleted; an earlier attempt may have succeeded",
    });
  });
});
