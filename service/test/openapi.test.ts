import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { ROUTES } from "../../contract/routes.js";
import { words } from "../../test/support/words.js";
import { openApiDocument } from "../openapi/document.js";
import { createContractClient } from "./support/contract-client.js";
import { activityBody, eventBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { sendInProcess } from "./support/send.js";
import { createWorld } from "./support/world.js";

const BASE_URL = "https://calendars.example.org";

/** Validates a value against the part of the document at a JSON pointer. Returns the errors, null if it is valid. */
function createChecker(document: object): (pointer: string, value: unknown) => string | null {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "document");
  return (pointer, value) =>
    ajv.validate(`document#${pointer}`, value) === true ? null : ajv.errorsText(ajv.errors);
}

const escapePointer = (key: string) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));

describe("the OpenAPI document", () => {
  test.each([
    { baseUrl: BASE_URL },
    { baseUrl: "{base_url}", authUrl: "{auth_url}", mediaType: "application/x+json" },
  ])("is valid with %j", async (options) => {
    const result = await new Validator().validate(structuredClone(openApiDocument(options)));
    expect(result).toMatchObject({ valid: true });
  });

  test("has every route of the contract and those of the authorization server", () => {
    const document = openApiDocument({ baseUrl: BASE_URL }) as { paths: Record<string, object> };
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => key !== "servers")
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`);
    const others = [
      "GET /authorize",
      "POST /token",
      "GET /.well-known/oauth-authorization-server",
      "GET /healthz",
      "GET /readyz",
      "GET /feeds/{secret}",
      "GET /feeds/{secret}.ics",
    ];
    expect(operations.sort()).toEqual([...routes, ...others].sort());
    expect(document).toMatchObject({
      servers: [{ url: BASE_URL }],
      paths: { "/token": { servers: [{ url: `${BASE_URL}/oauth` }] } },
    });
  });

  test("has the limits of the contract", () => {
    const check = createChecker(openApiDocument({ baseUrl: BASE_URL }));
    const body = "/components/schemas/EventBody";
    expect(
      check(body, eventBody({ ...SCHEDULE, title: "😀".repeat(50), location: "x".repeat(100) })),
    ).toBeNull();
    expect(check(body, eventBody({ ...SCHEDULE, title: "x".repeat(51) }))).toContain("50 characters");
    expect(check(body, eventBody({ ...SCHEDULE, title: "" }))).toContain("1 characters");
    expect(check(body, eventBody({ ...SCHEDULE, description: "x".repeat(10_001) }))).toContain("10000");
    expect(check(body, eventBody({ ...SCHEDULE, location: "x".repeat(101) }))).toContain("100 characters");
    expect(check(body, eventBody({ ...SCHEDULE, url: `https://${"x".repeat(1_993)}` }))).toContain("2000");
    expect(check(body, eventBody(SCHEDULE, { attendees: [...Array(201).keys()].map(String) }))).toContain(
      "200",
    );
    expect(JSON.stringify(openApiDocument({ baseUrl: BASE_URL }))).toContain(
      "`url` must begin with one of http:",
    );
    expect(check(body, eventBody({ ...SCHEDULE, category: "task" }))).toContain("allowed values");
    expect(check("/components/schemas/ActivityBody", activityBody("x".repeat(1_001)))).toContain("1000");
  });

  test("describes both bodies of a token request and both ways to authenticate a client", () => {
    const document = openApiDocument({ baseUrl: BASE_URL });
    expect(document).toMatchObject({
      paths: { "/token": { post: { security: [{}, { clientBasic: [] }] } } },
      components: { securitySchemes: { clientBasic: { type: "http", scheme: "basic" } } },
    });
    const check = createChecker(document);
    const request = { grant_type: "authorization_code", code: "x", redirect_uri: "https://app.example/" };
    for (const type of ["application/json", "application/x-www-form-urlencoded"]) {
      const schema = `/paths/~1token/post/requestBody/content/${escapePointer(type)}/schema`;
      expect(check(schema, { ...request, client_id: "id", client_secret: "secret" })).toBeNull();
      expect(check(schema, { ...request, client_id: "id" })).toBeNull();
      expect(check(schema, { ...request, code_verifier: "v" })).toBeNull();
      expect(check(schema, { ...request, code: undefined })).toContain("'code'");
    }
    expect(document).toHaveProperty(words`paths /token post responses 401 headers WWW-Authenticate`);
  });

  test("says what clients may send", () => {
    const { info } = openApiDocument({ baseUrl: BASE_URL }) as { info: { description: string } };
    expect(info.description).toContain("`application/json` or any `application/…+json`");
    expect(info.description).toContain("One slash at the end of a path is ignored.");
  });

  test("says that include may be empty", () => {
    expect(openApiDocument({ baseUrl: BASE_URL })).toMatchObject({
      paths: {
        "/calendars": {
          get: {
            parameters: expect.arrayContaining([
              expect.objectContaining({ name: "include", allowEmptyValue: true, explode: false }),
            ]),
          },
        },
      },
    });
  });

  test("has keys for what is created alone", () => {
    const { paths } = openApiDocument({ baseUrl: BASE_URL }) as {
      paths: Record<string, Record<string, { parameters?: { name: string }[]; responses: object }>>;
    };
    const withKeys = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === "Idempotency-Key"))
        .map(([method, { responses }]) => ({ [`${method} ${path}`]: Object.keys(responses) })),
    );
    const statuses = expect.arrayContaining(["201", "410", "422"]);
    expect(withKeys).toEqual([
      { "post /calendars/{calendar_id}/events": statuses },
      { "post /calendars/{calendar_id}/events/{event_id}/activities": statuses },
    ]);
  });

  test("has the request id and the health of the service, which are not part of the contract", () => {
    const document = openApiDocument({ baseUrl: BASE_URL });
    expect(document).toMatchObject({
      paths: {
        "/user": { get: { responses: { 200: { headers: { "X-Request-Id": expect.any(Object) } } } } },
        "/healthz": { get: { security: [], responses: { 200: { description: expect.any(String) } } } },
        "/readyz": { get: { security: [], responses: { 503: expect.any(Object) } } },
      },
      components: {
        headers: { "X-Request-Id": { description: expect.stringContaining("Not part of the contract") } },
        responses: { NotFound: { headers: { "X-Request-Id": expect.any(Object) } } },
      },
    });
    const { paths } = document as { paths: Record<string, { get: { description: string } }> };
    expect(paths["/healthz"]?.get.description).toContain("Not part of the contract");
    expect(paths["/readyz"]?.get.description).toContain("Not part of the contract");
  });

  test("describes the responses of the service", async () => {
    const check = createChecker(openApiDocument({ baseUrl: BASE_URL }));
    const world = await createWorld();
    const { request } = createContractClient(sendInProcess(world.service), world.token);
    const calendar = `/calendars/${world.calendarId}`;
    const created = await request("POST", `${calendar}/events`, { body: eventBody(SCHEDULE) });
    const { id } = (created.json as { data: { id: string } }).data;
    const answers = [
      ["get", "/user", await request("GET", "/user")],
      ["get", "/calendars", await request("GET", "/calendars?include=labels,members")],
      [
        "get",
        "/calendars/{calendar_id}/upcoming_events",
        await request("GET", `${calendar}/upcoming_events`),
      ],
      ["get", "/calendars/{calendar_id}/events", await request("GET", `${calendar}/events`)],
      [
        "get",
        "/calendars/{calendar_id}/events/{event_id}/activities",
        await request("GET", `${calendar}/events/${id}/activities?include=creator`),
      ],
      [
        "get",
        "/calendars/{calendar_id}/changes",
        await request("GET", `${calendar}/changes?since=1&include=label`),
      ],
      ["post", "/calendars/{calendar_id}/events", created],
      [
        "put",
        "/calendars/{calendar_id}/events/{event_id}",
        await request("PUT", `${calendar}/events/${id}`, { body: eventBody(KEEP) }),
      ],
    ] as const;
    for (const [method, path, { status, json }] of answers) {
      const pointer = `/paths/${escapePointer(path)}/${method}/responses/${status}/content/application~1json/schema`;
      expect(check(pointer, json), `${method} ${path}`).toBeNull();
    }
    const problem = await request("POST", `${calendar}/events`, { body: {} });
    expect(check("/components/schemas/Problem", problem.json)).toBeNull();
    await world.close();
  });
});
