import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { authorizationResponse, isRegistered } from "../../oauth/authorization-request.js";
import { matchesChallenge, parseChallenge } from "../../oauth/pkce.js";
import { CHALLENGE, VERIFIER } from "./support/stage.js";

describe("a redirect URI must be registered", () => {
  test.each([
    ["http://127.0.0.1/callback", "http://127.0.0.1/callback"],
    ["http://127.0.0.1/callback", "http://127.0.0.1:49152/callback"],
    ["http://127.0.0.1/callback", "http://127.0.0.1:65535/callback"],
    ["http://127.0.0.1:8788/callback", "http://127.0.0.1:1/callback"],
    ["http://127.0.0.1:8788/callback", "http://127.0.0.1/callback"],
    ["http://127.0.0.1:8788", "http://127.0.0.1:9000"],
    ["http://127.0.0.1/?app=1", "http://127.0.0.1:9000/?app=1"],
    ["http://127.0.0.2/callback", "http://127.0.0.2:80/callback"],
    ["http://[::1]/callback", "http://[::1]:49152/callback"],
    ["http://localhost:8788/callback", "http://localhost:8788/callback"],
    ["https://board.example.org/callback", "https://board.example.org/callback"],
    ["com.example.board:/callback", "com.example.board:/callback"],
  ])("%s allows %s", (registered, uri) => {
    expect(isRegistered(uri, ["https://other.example.org/", registered])).toBe(true);
  });

  test.each([
    ["another path", "http://127.0.0.1/callback", "http://127.0.0.1/callback2"],
    ["a slash more", "http://127.0.0.1/callback", "http://127.0.0.1:9000/callback/"],
    ["a query more", "http://127.0.0.1/callback", "http://127.0.0.1:9000/callback?x=1"],
    ["a climbing path", "http://127.0.0.1/callback", "http://127.0.0.1:9000/x/../callback"],
    ["encoded otherwise", "http://127.0.0.1/callback", "http://127.0.0.1:9000/%63allback"],
    ["another loopback address", "http://127.0.0.1/callback", "http://127.0.0.2/callback"],
    ["the other family", "http://127.0.0.1/callback", "http://[::1]/callback"],
    ["the name for the address", "http://127.0.0.1/callback", "http://localhost/callback"],
    ["https for http", "http://127.0.0.1/callback", "https://127.0.0.1/callback"],
    ["another port of a name", "http://localhost:8788/callback", "http://localhost:8789/callback"],
    [
      "another port of a host",
      "https://board.example.org/callback",
      "https://board.example.org:444/callback",
    ],
    ["another port with TLS", "https://127.0.0.1/callback", "https://127.0.0.1:444/callback"],
    ["a host after a user", "http://127.0.0.1/", "http://127.0.0.1:80@evil.example/"],
    ["a longer host", "http://127.0.0.1", "http://127.0.0.1.evil.example"],
    ["a longer host with a port", "http://127.0.0.1:80", "http://127.0.0.1:80.evil.example"],
    ["a backslash", "http://127.0.0.1/", "http://127.0.0.1:80\\@evil.example/"],
    ["no port after the colon", "http://127.0.0.1/callback", "http://127.0.0.1:/callback"],
    ["a port that is none", "http://127.0.0.1/callback", "http://127.0.0.1:100000/callback"],
    ["a port that is too high", "http://127.0.0.1/callback", "http://127.0.0.1:65536/callback"],
    ["port 0", "http://127.0.0.1/callback", "http://127.0.0.1:0/callback"],
    ["a port with a leading zero", "http://[::1]/callback", "http://[::1]:08080/callback"],
    ["a port far too high", "http://127.0.0.1/callback", "http://127.0.0.1:99999/callback"],
    ["a fragment", "http://127.0.0.1/callback", "http://127.0.0.1/callback#"],
    ["capitals", "https://board.example.org/callback", "https://BOARD.example.org/callback"],
    ["a beginning", "https://board.example.org/callback", "https://board.example.org/"],
    ["nothing", "https://board.example.org/callback", ""],
  ])("%s is not allowed", (_, registered, uri) => {
    expect(isRegistered(uri, [registered])).toBe(false);
  });
});

test.each([
  ["http://127.0.0.1/cb", "http://127.0.0.1/cb?code=a&state=b"],
  ["https://x.example/?app=1", "https://x.example/?app=1&code=a&state=b"],
  ["https://x.example/?", "https://x.example/?code=a&state=b"],
  ["com.example.app:/cb", "com.example.app:/cb?code=a&state=b"],
])("a response is added to %s", (uri, expected) => {
  expect(authorizationResponse(uri, { code: "a", error: undefined, state: "b" })).toBe(expected);
});

const LONG = "a".repeat(128);

describe("a challenge", () => {
  test.each([
    [CHALLENGE, "S256", "S256"],
    [VERIFIER, "plain", "plain"],
    [VERIFIER, undefined, "plain"],
    [LONG, "plain", "plain"],
    ["a.b~c_d-".repeat(6), undefined, "plain"],
  ] as const)("%s with method %s is read", (value, method, read) => {
    expect(parseChallenge(value, method)).toEqual({ value, method: read });
  });

  test("is optional", () => {
    expect(parseChallenge(undefined, undefined)).toBeNull();
  });

  test.each([
    [undefined, "S256"],
    [CHALLENGE, "s256"],
    [CHALLENGE, "S512"],
    [`${CHALLENGE}=`, "S256"],
    [CHALLENGE.slice(1), "S256"],
    [LONG, "S256"],
    ["short", "plain"],
    ["a".repeat(129), "plain"],
    [`${VERIFIER} `, "plain"],
    [`${VERIFIER}é`, undefined],
  ])("%s with method %s is rejected", (value, method) => {
    expect(parseChallenge(value, method)).toEqual(expect.any(String));
  });
});

test("a verifier shorter than RFC 7636 allows is rejected although its hash matches", () => {
  const value = createHash("sha256").update("short").digest("base64url");
  expect(matchesChallenge("short", { value, method: "S256" })).toBe(false);
});

describe("a verifier", () => {
  const s256 = { value: CHALLENGE, method: "S256" } as const;
  const plain = { value: VERIFIER, method: "plain" } as const;

  test("matches its challenge, as in RFC 7636 appendix B", () => {
    expect(matchesChallenge(VERIFIER, s256)).toBe(true);
    expect(matchesChallenge(VERIFIER, plain)).toBe(true);
    expect(matchesChallenge(undefined, null)).toBe(true);
  });

  test.each<[string, string | undefined, Parameters<typeof matchesChallenge>[1]]>([
    ["none", undefined, s256],
    ["none for a plain one", undefined, plain],
    ["the challenge", CHALLENGE, s256],
    ["one where no challenge was sent", VERIFIER, null],
    ["one whose hash is the plain one", VERIFIER, { value: CHALLENGE, method: "plain" }],
    ["another plain one", `${VERIFIER.slice(1)}x`, plain],
    ["more than the plain one", `${VERIFIER}x`, plain],
    ["an empty one", "", s256],
    ["one of forbidden letters", "+".repeat(43), s256],
  ])("does not match: %s", (_, verifier, challenge) => {
    expect(matchesChallenge(verifier, challenge)).toBe(false);
  });
});
