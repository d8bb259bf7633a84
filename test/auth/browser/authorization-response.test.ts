import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CallbackRequest,
  parsePastedAddress,
  readCallbackRequest,
  readPastedResponse,
} from "../../../src/auth/browser/authorization-response.js";

const STATE = "s".repeat(43);
const EXPECTED = { state: STATE, issuerOrigin: "https://calendar.example", path: "/callback", port: 5000 };
const GOOD: CallbackRequest = {
  method: "GET",
  target: `/callback?code=c&state=${STATE}`,
  host: "127.0.0.1:5000",
  purpose: undefined,
};

function verdict(changes: Partial<CallbackRequest>) {
  return readCallbackRequest({ ...GOOD, ...changes }, EXPECTED);
}

describe("a request to the callback listener", () => {
  test.each(["127.0.0.1:5000", "localhost:5000", "[::1]:5000"])("at %s returns the code", (host) => {
    expect(verdict({ host })).toEqual({ kind: "response", response: { kind: "code", code: "c" } });
  });

  test.each(["OPTIONS", "HEAD", "POST", "PUT", "get"])("by %s is 405 and does not use the code", (method) => {
    expect(verdict({ method })).toEqual({ kind: "refused", status: 405 });
  });

  test.each([
    "/favicon.ico",
    "/",
    "",
    "/callback/",
    `//x/callback?code=c&state=${STATE}`,
    `http://127.0.0.1:5000/callback?code=c&state=${STATE}`,
    `/CALLBACK?code=c&state=${STATE}`,
    `/x/../callback?code=c&state=${STATE}`,
    `/%63allback?code=c&state=${STATE}`,
    "*",
  ])("for %s is 404", (target) => {
    expect(verdict({ target })).toEqual({ kind: "refused", status: 404 });
  });

  test.each([
    ["a wrong state", `code=c&state=${"x".repeat(43)}`],
    ["the beginning of the state", `code=c&state=${STATE.slice(1)}`],
    ["no state", "code=c"],
    ["an empty state", "code=c&state="],
    ["a doubled state", `code=c&state=${STATE}&state=${STATE}`],
    ["bad escapes", "code=%zz&state=%"],
    ["a forged error", "error=access_denied&state=forged"],
    ["an error without state", "error=access_denied"],
  ])("with %s is 400, and the sign-in continues", (_, query) => {
    expect(verdict({ target: `/callback?${query}` })).toEqual({ kind: "refused", status: 400 });
  });

  test.each([
    ["a doubled code", "code=c&code=d", "twice"],
    ["a doubled error", "error=a&error=b", "twice"],
    ["neither code nor error", "x=y", "no code"],
    ["an empty code", "code=", "no code"],
    [
      "another issuer",
      "code=c&iss=https%3A%2F%2Fevil.example%2Fpath",
      "the issuer https://evil.example, but the authorization server is https://calendar.example",
    ],
    ["an issuer that is none", "code=c&iss=x", "the issuer x"],
    ["a code that is too long", `code=${"c".repeat(17_000)}`, "too long"],
  ])("with the state and %s is from the server, and the sign-in continues", (_, query, words) => {
    expect(verdict({ target: `/callback?${query}&state=${STATE}` })).toEqual({
      kind: "invalid",
      problem: expect.stringContaining(words),
    });
  });

  test.each(["evil.example", "evil.example:5000", "127.0.0.1:5001", "127.0.0.1", undefined, ""])(
    "for the host %s is 400: names can be pointed at this machine",
    (host) => {
      expect(verdict({ host })).toEqual({ kind: "refused", status: 400 });
    },
  );

  test.each(["prefetch", "prefetch;prerender", "Prefetch"])(
    "fetched ahead (%s) uses nothing up",
    (purpose) => {
      expect(verdict({ purpose })).toEqual({ kind: "refused", status: 503 });
    },
  );

  test("an error with the right state ends the sign-in, with the server's description", () => {
    const target = `/callback?error=access_denied&error_description=No%20way&state=${STATE}`;
    expect(verdict({ target })).toEqual({
      kind: "response",
      response: { kind: "error", error: "access_denied", description: "No way" },
    });
  });

  test("the right issuer is accepted", () => {
    const target = `/callback?code=c&state=${STATE}&iss=https%3A%2F%2Fcalendar.example%2Foauth`;
    expect(verdict({ target })).toMatchObject({ kind: "response" });
  });

  test("a response without the state is never accepted, and nothing throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary-ascii" }), fc.string(), (target, host) => {
        const { kind } = readCallbackRequest({ ...GOOD, target: `/callback?${target}`, host }, EXPECTED);
        expect(kind).toBe("refused");
        expect(
          readCallbackRequest({ ...GOOD, target: `/callback?code=c&state=${target}` }, EXPECTED).kind,
        ).toBe("refused");
      }),
    );
  });
});

describe("a pasted address", () => {
  const expected = { ...EXPECTED, redirectUri: "http://127.0.0.1:5000/callback" };

  test.each(["", "  ", "\t"])("an empty line %j is ignored", (line) => {
    expect(parsePastedAddress(line, expected)).toBe("");
  });

  const address = `http://127.0.0.1:5000/callback?code=c&state=${STATE}#x`;

  test.each([
    ["with spaces around it", `  ${address}\t `],
    ["with spaces where it was wrapped", address.replace("&", " \t&").replace("/callback", " /callback")],
    ["in quotes", `"${address}"`],
    ["in quotes of a text", `“${address}” `],
    ["in angle brackets", `< ${address}>`],
  ])("is accepted %s", (_, line) => {
    expect(parsePastedAddress(line, expected)).toEqual({ kind: "code", code: "c" });
  });

  test.each([
    ["two lines", [address.slice(0, 40), address.slice(40)]],
    ["many lines, after one that is none", ["c0de", ...(`"${address}"`.match(/.{1,30}/g) ?? []), ""]],
  ])("is accepted in %s", async (_, lines) => {
    const pasted = readPastedResponse(Readable.from(lines), expected, () => undefined);
    expect(await pasted).toEqual({ kind: "code", code: "c" });
  });

  test.each([
    ["http://localhost:9000", "http://localhost:9000/"],
    ["https://app.example", "https://app.example/"],
    ["https://App.Example/cb", "https://app.example/cb"],
    ["http://127.0.0.1:80/cb", "http://127.0.0.1/cb"],
    ["https://app.example:443/cb", "https://app.example/cb"],
    ["https://app.example/ü", "https://app.example/%C3%BC"],
  ])("of %s is accepted as a browser shows it: %s", (redirectUri, shown) => {
    const line = `${shown}?code=c&state=${STATE}`;
    expect(parsePastedAddress(line, { ...expected, redirectUri })).toEqual({ kind: "code", code: "c" });
  });

  test("with an error ends the sign-in", () => {
    const line = `http://127.0.0.1:5000/callback?error=access_denied&state=${STATE}`;
    expect(parsePastedAddress(line, expected)).toMatchObject({ kind: "error", error: "access_denied" });
  });

  test.each([
    ["of an earlier attempt", "http://127.0.0.1:5000/callback?code=c&state=old", "earlier attempt"],
    ["without a code", `http://127.0.0.1:5000/callback?state=${STATE}`, "no code"],
    ["without a state", "http://127.0.0.1:5000/callback?code=c", "no state"],
    ["that is only the code", "c0de", "begins with http://127.0.0.1:5000/callback?"],
    ["of another path", `http://127.0.0.1:5000/callback/?code=c&state=${STATE}`, "begins with"],
    ["of another port", "http://127.0.0.1:5001/callback?code=c&state=x", "belongs to another sign-in"],
    [
      "of the first page",
      `https://auth.example/authorize?client_id=c&state=${STATE}`,
      /^paste the whole address/,
    ],
    ["of another page", `https://evil.example/?code=c&state=${STATE}`, "begins with"],
  ])("%s is described", (_, line, words) => {
    expect(parsePastedAddress(line, expected)).toMatch(words);
  });
});
