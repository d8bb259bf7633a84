import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OAUTH_ROUTES } from "../../contract/oauth.js";
import { ROUTES, type Route } from "../../contract/routes.js";
import { createOAuthStage, type OAuthStage, PASSWORD } from "./oauth/support/stage.js";
import { eventBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { sendInProcess } from "./support/send.js";

/** No input makes an error long: not in the API, and not at the authorization server. */

const FEW_KILOBYTES = 8 * 1024;

/** Long, also as JSON, as HTML and as UTF-8. */
const LONG: readonly (readonly [string, string])[] = [
  ["emoji", "😀".repeat(15_000)],
  ["control characters", "\u0001".repeat(20_000)],
  ["markup", `<b title="'&">`.repeat(1_400)],
  ["half emoji", "\ud83d".repeat(20_000)],
];

let stage: OAuthStage;
beforeAll(async () => {
  stage = await createOAuthStage({ rateLimit: null });
});
afterAll(() => stage.close());

interface Attempt {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request that must fail, and returns the text of the error, which must be short. */
async function fail({ method, target, headers = {}, body = "" }: Attempt): Promise<string> {
  const response = await sendInProcess(stage.world.service)({
    method,
    target,
    headers: { authorization: `Bearer ${stage.world.token}`, ...headers },
    body: new TextEncoder().encode(body),
  });
  const text = new TextDecoder().decode(response.body);
  expect({ target: target.slice(0, 60), failed: response.status >= 400 }).toMatchObject({ failed: true });
  expect(response.body.byteLength, text.slice(0, 500)).toBeLessThan(FEW_KILOBYTES);
  return text;
}

const JSON_TYPE = { "content-type": "application/json" } as const;
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" } as const;

/** `encodeURIComponent` refuses half an emoji. */
const encode = (text: string) => encodeURIComponent(Buffer.from(text).toString());

describe.each(LONG.map(([name, long], kind) => ({ name, long, kind })))(
  "an error stays short with long $name",
  ({ long, kind }) => {
    const pathTo = (route: Route, calendar: string) =>
      route.path.replace("{calendar_id}", calendar).replace("{event_id}", encode(long));

    // Each route is tested with one kind of text.
    const routes = Object.values<Route>(ROUTES);
    test.each(routes.filter((_, index) => index % LONG.length === kind))(
      "in the path of $method $path",
      async (route) => {
        const body = JSON.stringify(eventBody(KEEP));
        const request = { method: route.method, headers: JSON_TYPE, body };
        if (route.path.includes("{")) await fail({ ...request, target: pathTo(route, encode(long)) });
        if (route.path.includes("{event_id}")) {
          await fail({ ...request, target: pathTo(route, stage.world.calendarId) });
        }
        await fail({ ...request, target: `${route.path}/${encode(long)}` });
        await fail({ ...request, target: `/%zz${encode(long)}` });
        await fail({ ...request, method: "PATCH", target: route.path.replaceAll(/\{\w+\}/g, "x") });
      },
    );

    test("in a query", async () => {
      const calendar = `/calendars/${stage.world.calendarId}`;
      for (const name of ["include", "timezone", "days"]) {
        const request = { method: "GET", target: `${calendar}/upcoming_events?${name}=${encode(long)}` };
        const { errors } = JSON.parse(await fail(request));
        expect(Object.keys(errors)).toEqual([name]);
      }
      await fail({ method: "GET", target: `/calendars?include[${encode(long)}]=x` });
    });

    test("in a header", async () => {
      for (const name of ["accept", "authorization"]) {
        await fail({ method: "GET", target: "/user", headers: { [name]: `text/${long}` } });
      }
      const target = `/calendars/${stage.world.calendarId}/events`;
      for (const name of ["content-type", "content-encoding"]) {
        const headers = { ...JSON_TYPE, [name]: long };
        await fail({ method: "POST", target, headers, body: JSON.stringify(eventBody(KEEP)) });
      }
    });

    test("in any field of an event", async () => {
      const request = {
        method: "POST",
        target: `/calendars/${stage.world.calendarId}/events`,
        headers: JSON_TYPE,
      };
      const names = ["title", "category", "all_day", "start_at", "end_at", "start_timezone", "end_timezone"];
      for (const name of [...names, "description", "location", "url"]) {
        const body = JSON.stringify(eventBody({ ...SCHEDULE, [name]: long }));
        expect(Object.keys(JSON.parse(await fail({ ...request, body })).errors)).toEqual([name]);
      }
      await fail({ ...request, body: long });
      await fail({ ...request, body: JSON.stringify({ [long]: long }) });
      await fail({ ...request, body: JSON.stringify({ data: { [long]: 1, attributes: { [long]: 1 } } }) });
      await fail({ ...request, body: JSON.stringify(eventBody(KEEP, { label: long })) });
      const attendees = Array.from({ length: 10 }, (_, index) => `${index}${long}`);
      await fail({ ...request, body: JSON.stringify(eventBody({}, { label: long, attendees })) });
    });

    test("in a token request", async () => {
      const { client_id, client_secret } = stage.client;
      const fields = {
        client_id,
        client_secret,
        grant_type: "authorization_code",
        code: "x",
        redirect_uri: "x",
      };
      const request = {
        method: "POST",
        target: "/oauth/token",
        headers: { ...FORM_TYPE, authorization: "" },
      };
      for (const name of [...Object.keys(fields), "code_verifier"]) {
        const changed = { ...fields, [name]: long };
        await fail({ ...request, body: new URLSearchParams(changed).toString() });
        await fail({ ...request, headers: JSON_TYPE, body: JSON.stringify(changed) });
        await fail({ ...request, headers: JSON_TYPE, body: JSON.stringify({ ...fields, [name]: [long] }) });
      }
      await fail({ ...request, body: `${encode(long)}=%zz` });
      await fail({ ...request, headers: { ...FORM_TYPE, authorization: `Basic ${btoa(encode(long))}` } });
      await fail({
        ...request,
        headers: { ...FORM_TYPE, authorization: `Basic ${btoa(`x:${encode(long)}`)}` },
      });
    });

    test("in an authorization request", async () => {
      const target = `/oauth${OAUTH_ROUTES.authorize.path}`;
      const page = (changes: Readonly<Record<string, string>>) =>
        fail({ method: "GET", target: stage.authorize(changes) });
      expect(await page({ client_id: long })).toContain("…");
      expect(await page({ redirect_uri: long })).toContain("…");
      await fail({ method: "GET", target: `${target}?client_id=${encode(long)}&client_id=x` });
      await fail({ method: "GET", target: `${target}?${encode(long)}=%zz` });
      await fail({ method: "DELETE", target: `${target}?${encode(long)}` });
    });

    test("in a sign-in", async () => {
      const browser = stage.browser();
      const page = await browser.open(stage.authorize());
      for (const fields of [
        { login: long, password: PASSWORD },
        { login: "member", password: long },
      ]) {
        const { status, text } = await browser.submit(page, "sign-in", fields);
        expect(status).toBeGreaterThanOrEqual(400);
        expect(Buffer.byteLength(text)).toBeLessThan(FEW_KILOBYTES);
      }
      const refused = await browser.submit(page, long);
      expect(refused.status).toBe(400);
      expect(Buffer.byteLength(refused.text)).toBeLessThan(FEW_KILOBYTES);
    });
  },
);

describe("an error text", () => {
  const post = async (options: Parameters<typeof eventBody>[1]) => {
    const target = `/calendars/${stage.world.calendarId}/events`;
    const body = JSON.stringify(eventBody(KEEP, options));
    return JSON.parse(await fail({ method: "POST", target, headers: JSON_TYPE, body })).errors;
  };

  test("repeats at most 200 characters of an id, and says where it is cut", async () => {
    expect(await post({ label: "x".repeat(200) })).toEqual({
      label: [`"${"x".repeat(200)}" is not a label of this calendar`],
    });
    expect(await post({ label: "😀".repeat(201) })).toEqual({
      label: [`"${"😀".repeat(199)}…" is not a label of this calendar`],
    });
    const target = `/calendars/%zz${"x".repeat(300)}`;
    expect(JSON.parse(await fail({ method: "GET", target })).errors).toBe(
      `the path segment "%zz${"x".repeat(196)}…" is not percent-encoded UTF-8`,
    );
  });

  test("names the first wrong attendees and counts the others", async () => {
    const attendees = Array.from({ length: 100 }, (_, index) => `guest-${index}`);
    expect(await post({ attendees: [...attendees, ...attendees] })).toEqual({
      attendees: [
        ...attendees.slice(0, 5).map((id) => `"${id}" is not a member of this calendar`),
        "and 95 more",
      ],
    });
  });
});

describe("a body of many small values", () => {
  const post = async (body: string) => {
    const target = `/calendars/${stage.world.calendarId}/events`;
    return JSON.parse(await fail({ method: "POST", target, headers: JSON_TYPE, body })).errors;
  };
  const withAttendees = (count: number) =>
    JSON.stringify({
      data: {
        attributes: { title: "", category: "other" },
        relationships: { label: { data: {} }, attendees: { data: Array(count).fill({}) } },
      },
    });

  test("is refused before its attendees are checked one by one", async () => {
    const errors = await post(withAttendees(1_000));
    expect(Object.keys(errors).sort()).toEqual(["attendees", "category", "label", "title"]);
    expect(Object.values(errors).flat().length).toBeLessThan(10);
    // Nothing else of the body was validated.
    expect(await post(withAttendees(1_001))).toEqual({ attendees: ["must be at most 200 users"] });
  });

  test.each([
    ["attendees", withAttendees(30_000)],
    ["nested lists", `${"[".repeat(40_000)}${"]".repeat(40_000)}`],
    ["members", `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(",")}}`],
    // Not JSON, which only a parser would find out.
    ["commas", ",".repeat(100_000)],
  ])("is refused before it is parsed: %s", async (_, body) => {
    expect(await post(body)).toBe("the body must have at most 10000 JSON values");
    const token = { method: "POST", target: "/oauth/token", headers: { ...JSON_TYPE, authorization: "" } };
    expect(JSON.parse(await fail({ ...token, body }))).toEqual({
      error: "invalid_request",
      error_description: "the body must have at most 10000 JSON values",
    });
  });

  test.each([
    ["a string", JSON.stringify({ data: `,[{${'\\",'.repeat(20_000)}` })],
    ["spaces", `${" ".repeat(100_000)}{}`],
  ])("is not mistaken for %s", async (_, body) => {
    expect(Object.keys(await post(body))).toEqual(["data"]);
  });

  test("may have 10,000", async () => {
    const values = (count: number) => `[${Array(count - 1).fill(1)}]`;
    expect(await post(values(10_000))).toEqual({ data: [expect.any(String)] });
    expect(await post(values(10_001))).toBe("the body must have at most 10000 JSON values");
  });

  test.each([
    ["without values", "a&".repeat(50_000)],
    ["with values", Array.from({ length: 20_000 }, (_, index) => `k${index}=1`).join("&")],
    ["101", Array(101).fill("%zz").join("&")],
  ])("is refused as a form before it is decoded: %s", async (_, body) => {
    const request = { method: "POST", headers: { ...FORM_TYPE, authorization: "" }, body };
    const refused = JSON.parse(await fail({ ...request, target: "/oauth/token" }));
    expect(refused.error_description).toBe("The request has more than 100 parameters.");
    const page = await fail({ method: "GET", target: `${stage.authorize()}&${body.slice(0, 10_000)}` });
    expect(page).toContain("The request has more than 100 parameters.");
  });

  test("may be a form of 100 parameters", async () => {
    const body = Array.from({ length: 100 }, (_, index) => `k${index}=1`).join("&");
    const request = { method: "POST", headers: { ...FORM_TYPE, authorization: "" }, body };
    expect(JSON.parse(await fail({ ...request, target: "/oauth/token" })).error).toBe("invalid_client");
  });
});
