import { describe, expect, test } from "vitest";
import { authorizationResponse, isRegistered } from "../../../src/service/oauth/authorization-request.js";

describe("a redirect URI is one that was registered", () => {
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
  ])("%s takes %s", (registered, uri) => {
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
    ["no port behind the colon", "http://127.0.0.1/callback", "http://127.0.0.1:/callback"],
    ["a port that is none", "http://127.0.0.1/callback", "http://127.0.0.1:100000/callback"],
    ["a port that is too high", "http://127.0.0.1/callback", "http://127.0.0.1:65536/callback"],
    ["a port far too high", "http://127.0.0.1/callback", "http://127.0.0.1:99999/callback"],
    ["a fragment", "http://127.0.0.1/callback", "http://127.0.0.1/callback#"],
    ["capitals", "https://board.example.org/callback", "https://BOARD.example.org/callback"],
    ["a beginning", "https://board.example.org/callback", "https://board.example.org/"],
    ["nothing", "https://board.example.org/callback", ""],
  ])("not with %s", (_, registered, uri) => {
    expect(isRegistered(uri, [registered])).toBe(false);
  });
});

test.each([
  ["http://127.0.0.1/cb", "http://127.0.0.1/cb?code=a&state=b"],
  ["https://x.example/?app=1", "https://x.example/?app=1&code=a&state=b"],
  ["https://x.example/?", "https://x.example/?code=a&state=b"],
  ["com.example.app:/cb", "com.example.app:/cb?code=a&state=b"],
])("an answer is added to %s", (uri, expected) => {
  expect(authorizationResponse(uri, { code: "a", error: undefined, state: "b" })).toBe(expected);
});
