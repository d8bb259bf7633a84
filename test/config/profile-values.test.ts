import { describe, expect, test } from "vitest";
import { withBoundPort } from "../../src/auth/browser/callback-listener.js";
import { parseRedirectUri } from "../../src/config/profile-values.js";

describe("a redirect URI", () => {
  test.each([
    ["http://127.0.0.1/callback", ["127.0.0.1"], 0, "http://127.0.0.1:5000/callback"],
    ["http://127.0.0.1:0/cb", ["127.0.0.1"], 0, "http://127.0.0.1:5000/cb"],
    ["http://127.0.0.1:8788/callback", ["127.0.0.1"], 8788, "http://127.0.0.1:8788/callback"],
    ["http://127.0.0.1:80/callback", ["127.0.0.1"], 80, "http://127.0.0.1:80/callback"],
    ["http://[::1]/cb", ["::1"], 0, "http://[::1]:5000/cb"],
    ["http://[::1]:9000/cb", ["::1"], 9000, "http://[::1]:9000/cb"],
    ["http://localhost:9000", ["127.0.0.1", "::1"], 9000, "http://localhost:9000"],
    ["http://localhost", ["127.0.0.1", "::1"], 0, "http://localhost:5000"],
    ["https://app.example/callback", [], 0, null],
  ])("%s listens at its own address, and is sent byte for byte", (text, hosts, port, sent) => {
    const target = parseRedirectUri(text, "--redirect-uri");
    expect(target).toMatchObject({ hosts, port });
    if (sent !== null) expect(withBoundPort(target, 5000)).toBe(sent);
  });

  test("in upper case gets a port, too", () => {
    expect(withBoundPort(parseRedirectUri("HTTP://LOCALHOST/cb", "uri"), 5000)).toBe(
      "HTTP://LOCALHOST:5000/cb",
    );
  });

  test.each([
    "callback",
    "http://calendar.example/callback",
    "http://127.0.0.1.example/callback",
    "http://user@127.0.0.1/callback",
    "http://127.0.0.1/callback?x=1",
    "http://127.0.0.1/callback#",
    "ftp://127.0.0.1/callback",
    " http://127.0.0.1/callback",
    "http://127.0.0.1/callback ",
    "http:/127.0.0.1/callback",
    "http:127.0.0.1/callback",
    "http:///127.0.0.1/callback",
    "http:\\\\127.0.0.1/callback",
    "http://127.0.0.1\\callback",
    "http://127.0.0.1/call back",
    "http://127.0.0.1/call\tback",
    "http://127.0.0.1/call\nback",
    "https:/app.example/callback",
    "javascript:alert(1)",
    "http://127.0.0.1:99999/callback",
  ])("%s is refused", (text) => {
    expect(() => parseRedirectUri(text, "--redirect-uri")).toThrow(expect.objectContaining({ exitCode: 10 }));
  });
});
