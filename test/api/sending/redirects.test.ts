import { describe, expect, test } from "vitest";
import { withRedirects } from "../../../src/api/sending/redirects.js";
import type { HttpRequest } from "../../../src/api/transport.js";

const START = "https://calendar.example/api/calendars";

/** Redirects to each of the addresses in turn, then returns 200. */
function redirecting(locations: readonly (string | undefined)[], status = 302) {
  const requests: HttpRequest[] = [];
  const transport = withRedirects(async (request) => {
    const location = locations[requests.length];
    const redirects = requests.length < locations.length;
    requests.push(request);
    const headers: Record<string, string> = location === undefined ? {} : { location };
    return { status: redirects ? status : 200, headers, body: new Uint8Array() };
  });
  const send = (method: HttpRequest["method"] = "GET") =>
    transport({ method, url: START, headers: { authorization: "Bearer sentinel" } });
  return { requests, send };
}

describe("redirects", () => {
  test.each([301, 302, 303, 307, 308])("%i of a GET is followed to the same origin", async (status) => {
    const { requests, send } = redirecting(["/v2/calendars?x=1#part"], status);
    expect((await send()).status).toBe(200);
    expect(requests.map(({ url }) => url)).toEqual([START, "https://calendar.example/v2/calendars?x=1"]);
  });

  test("three are followed, the fourth is the response", async () => {
    const three = redirecting(["/1", "2", "https://calendar.example/3"]);
    expect((await three.send()).status).toBe(200);
    const circle = redirecting(["/1", "/2", "/1", "/2", "/1"]);
    expect((await circle.send()).status).toBe(302);
    expect(circle.requests).toHaveLength(4);
  });

  test.each([
    "https://evil.example/",
    "//evil.example/",
    "http://calendar.example/api/calendars",
    "https://calendar.example:8443/",
    "https://calendar.example@evil.example/",
    "https://user:password@calendar.example/",
    "javascript:alert(1)",
    "https://",
    "",
    undefined,
  ])("to %s is not followed: the token is not sent there", async (location) => {
    const { requests, send } = redirecting([location]);
    expect((await send()).status).toBe(302);
    expect(requests).toHaveLength(1);
  });

  test("to another origin after the same origin is not followed", async () => {
    const { requests, send } = redirecting(["/inside", "https://evil.example/"]);
    expect((await send()).status).toBe(302);
    expect(requests.map(({ url }) => new URL(url).host)).toEqual(["calendar.example", "calendar.example"]);
  });

  test.each(["POST", "PUT", "DELETE"] as const)("of a %s is not followed", async (method) => {
    const { requests, send } = redirecting(["/v2/calendars"], 307);
    expect((await send(method)).status).toBe(307);
    expect(requests).toHaveLength(1);
  });

  test.each([300, 304, 399])("%i is not a redirect", async (status) => {
    const { requests, send } = redirecting(["/v2/calendars"], status);
    expect((await send()).status).toBe(status);
    expect(requests).toHaveLength(1);
  });
});
