import { describe, expect, test } from "vitest";
import type { Stage } from "./stage.js";

export function describeMalformedRequests(stage: () => Stage): void {
  describe("malformed requests", () => {
    test.each([
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
    ])("GET %j is %i", async (target, status) => {
      const { client } = stage();
      // An empty request line cannot be sent over a socket; node sends / then.
      expect(await client.request("GET", target)).toMatchObject({ status });
    });

    test.each([
      ["POST", "/user", "GET, HEAD"],
      ["OPTIONS", "/calendars", "GET, HEAD"],
      ["DELETE", "/calendars/x", "GET, HEAD"],
      ["DELETE", "/calendars/x/events", "GET, HEAD, POST"],
      ["PATCH", "/calendars/x/events/y", "GET, HEAD, PUT, DELETE"],
      ["PUT", "/calendars/x/events/", "GET, HEAD, POST"],
      ["DELETE", "/calendars/x/events/", "GET, HEAD, POST"],
      ["DELETE", "/calendars/x/events/y/activities", "GET, HEAD, POST"],
    ])("%s %s is 405 and allows %s", async (method, target, allow) => {
      const { client } = stage();
      expect(await client.request(method, target)).toMatchObject({ status: 405, headers: { allow } });
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
