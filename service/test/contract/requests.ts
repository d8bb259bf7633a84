import { describe, expect, test } from "vitest";
import type { Stage } from "./stage.js";

export function describeRequests(stage: () => Stage, isWhole: boolean): void {
  describe("requests", () => {
    test("a path that is none of the API is 404, or 400 if it cannot be decoded", async () => {
      for (const [target, status] of [
        ["/", 404],
        ["", 404],
        ["/users", 404],
        ["/user//", 404],
        ["//user", 404],
        ["//", 404],
        ["/calendars//", 404],
        ["/calendars/%2F", 404],
        // Its pages have links relative to one path.
        ["/oauth/authorize/", 404],
        ["/calendars//labels", 404],
        ["/calendars/%zz", 400],
        ["/calendars/%ff/labels", 400],
      ] as const) {
        // An empty request line cannot be sent over a socket; node sends / then.
        expect(await stage().client.request("GET", target), target).toMatchObject({ status });
      }
    });

    test("a method that a path does not have is 405 and names those that it has", async () => {
      for (const [method, target, allow] of [
        ["POST", "/user", "GET, HEAD"],
        ["OPTIONS", "/calendars", "GET, HEAD"],
        ["DELETE", "/calendars/x", "GET, HEAD"],
        ["DELETE", "/calendars/x/events", "GET, HEAD, POST"],
        ["PATCH", "/calendars/x/events/y", "GET, HEAD, PUT, DELETE"],
        ["PUT", "/calendars/x/events/", "GET, HEAD, POST"],
        ["DELETE", "/calendars/x/events/", "GET, HEAD, POST"],
        ["DELETE", "/calendars/x/events/y/activities", "GET, HEAD, POST"],
      ] as const) {
        const answer = await stage().client.request(method, target);
        expect(answer, `${method} ${target}`).toMatchObject({ status: 405, headers: { allow } });
      }
    });

    if (!isWhole) return;

    test.each([
      undefined,
      "",
      "*/*",
      "application/*",
      "application/json",
      "APPLICATION/JSON; charset=utf-8",
      "application/vnd.service.v1+json",
      "text/html, application/xhtml+xml, */*;q=0.8",
      "application/json;q=0.1",
      "text/html;q=1, application/*;q=0.5",
      "application/json;q=0, application/vnd.service.v1+json",
      "application/vnd.api+json",
      "application/vnd.other.v2+json",
      "Application/VND.Other+JSON; version=2",
      "application/*+json",
      "application/problem+json, text/html",
      'application/vnd.api+json; ext="https://example.org/a,b;q=0"',
      'application/vnd.api+json; profile="a \\" b, c"; q=0.1, text/html',
      "application/json;q=0, application/vnd.other+json;q=0.001",
    ])("Accept %j accepts JSON", async (accept) => {
      const headers: Record<string, string> = accept === undefined ? {} : { accept };
      await stage().client.call("getCurrentUser", { headers });
    });

    test.each([
      "text/html",
      "application/xml",
      "application/vnd.api+json;q=0",
      'application/vnd.api+json; ext="a, b"; q=0',
      'text/html; note="application/json, application/vnd.api+json',
      "text/vnd.other+json",
      "application/json-seq",
      "application/json;q=0",
      "*/*;q=0",
      "application/json;q=0, */*",
      "application/*;q=0.0, text/*",
      "json",
    ])("Accept %j is 406", async (accept) => {
      expect(await stage().client.request("GET", "/user", { headers: { accept } })).toMatchObject({
        status: 406,
      });
    });

    test.each([
      ["/calendars?include=,", "include"],
      ["/calendars?include=labels,", "include"],
      ["/calendars?include=&include=", "include"],
      ["/calendars?include=label", "include"],
      ["/calendars?include=labels,owner", "include"],
      ["/calendars?include=labels&include=members", "include"],
      ["/calendars?include[0]=labels", "include"],
      ["/calendars?include%5B%5D=labels", "include"],
      ["{calendar}/upcoming_events?include=labels", "include"],
      ["{calendar}/upcoming_events?timezone=Mars/Olympus", "timezone"],
      ["{calendar}/upcoming_events?timezone=%2B09:00", "timezone"],
      ["{calendar}/upcoming_events?timezone=", "timezone"],
      ["{calendar}/upcoming_events?days=0", "days"],
      ["{calendar}/upcoming_events?days=8", "days"],
      ["{calendar}/upcoming_events?days=-1", "days"],
      ["{calendar}/upcoming_events?days=1.5", "days"],
      ["{calendar}/upcoming_events?days=two", "days"],
      ["{calendar}/upcoming_events?days=", "days"],
      ["{calendar}/upcoming_events?days=1&days=2", "days"],
    ])("GET %s is 400 and names %s", async (target, field) => {
      const { client, calendar } = stage();
      const answer = await client.request("GET", target.replace("{calendar}", calendar));
      expect(answer).toMatchObject({ status: 400, errors: { [field]: [expect.any(String)] } });
    });

    test("every invalid parameter is reported at once", async () => {
      const { client, calendar } = stage();
      const answer = await client.request("GET", `${calendar}/upcoming_events?days=9&timezone=x&include=y`);
      expect(Object.keys(answer.errors as object).sort()).toEqual(["days", "include", "timezone"]);
    });
  });
}
