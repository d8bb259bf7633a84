import { describe, expect, test } from "vitest";
import { isSecretName, maskBody, maskHeader } from "../../src/api/trace/trace.js";

test.each([
  ...["authorization", "Proxy-Authorization", "cookie", "Set-Cookie", "x-api-key", "X-Auth-Token"],
  ...["code", "code_verifier", "state", "access_token", "refresh_token", "id_token", "client_secret"],
  ...["password", "token", "clientSecret", "accessToken", "client_assertion", "api_key", "PASSWD"],
])("%s names a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each([
  ...["token_type", "grant_type", "code_challenge", "code_challenge_method", "client_id", "redirect_uri"],
  ...["title", "status", "postcode", "estate", "www-authenticate", "content-type", "errors"],
])("%s does not name a secret", (name) => {
  expect(isSecretName(name)).toBe(false);
});

test.each([
  ["authorization", "Basic Zm9v", "***"],
  [
    "location",
    "/callback?code=abc&state=x#access_token=y&days=1",
    "/callback?code=***&state=***#access_token=***&days=1",
  ],
  ["location", "https://name:word@host.example/a?b=c", "https://***@host.example/a?b=c"],
  ["link", "<https://host.example/?c%6fde=abc>; rel=next", "<https://host.example/?c%6fde=***>; rel=next"],
  ["content-type", "application/json; charset=utf-8", "application/json; charset=utf-8"],
  ["x-mail", "ana@host.example", "ana@host.example"],
])("header %s: %s", (name, value, expected) => {
  expect(maskHeader(name, value)).toBe(expected);
});

describe("a body", () => {
  test.each([
    [
      "JSON",
      '{"access_token":"a\\"b","token_type":"Bearer"}',
      '{"access_token":"***","token_type":"Bearer"}',
    ],
    ["JSON with spaces", '{ "code" : "abc" }', '{ "code" : "***" }'],
    ["JSON numbers", '{"password":1234,"days":5}', '{"password":"***","days":5}'],
    ["JSON null", '{"token":null}', '{"token":null}'],
    ["nested JSON", '{"token":{"token":"a","id":"b"}}', '{"token":{"token":"***","id":"b"}}'],
    ["JSON that was cut", '{"refresh_token":"abc', '{"refresh_token":"***"'],
    ["text that only looks like a name", '{"title":"code: 1"}', '{"title":"code: 1"}'],
    ["a form", "code=abc&client_id=me&code_verifier=d%2Fe", "code=***&client_id=me&code_verifier=***"],
    ["only a form", "password=a+b", "password=***"],
    [
      "a page",
      '<a href="/x?state=abc&amp;code=def">back</a>',
      '<a href="/x?state=***&amp;code=***">back</a>',
    ],
    ["an address in JSON", '{"url":"https:\\/\\/me:pw@x.example"}', '{"url":"https:\\/\\/***@x.example"}'],
  ])("of %s", (_, body, expected) => {
    expect(maskBody(body)).toBe(expected);
  });

  test("of many nested lists is masked quickly", () => {
    const deep = `${"[".repeat(100_000)}{"token":"abc"}`;
    expect(maskBody(deep).slice(-15)).toBe('{"token":"***"}');
  });
});
