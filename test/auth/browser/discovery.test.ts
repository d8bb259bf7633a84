import { expect, test } from "vitest";
import type { HttpResponse } from "../../../src/api/transport.js";
import { discoverServer } from "../../../src/auth/browser/discovery.js";

const ORIGIN = "https://calendar.example";
const METADATA = {
  issuer: `${ORIGIN}/api`,
  authorization_endpoint: `${ORIGIN}/login/authorize`,
  token_endpoint: `${ORIGIN}/login/token`,
  calctl_client_id: "open",
};

/** Asks the service at ORIGIN/api, which has this response for every address. */
const discover = (text: string, status = 200) =>
  discoverServer(
    new URL(`${ORIGIN}/api`),
    async (): Promise<HttpResponse> => ({ status, headers: {}, body: new TextEncoder().encode(text) }),
    new AbortController().signal,
  );

test.each<readonly [string, object]>([
  ["of another issuer", { issuer: "https://evil.example" }],
  ["of an issuer that only begins like it", { issuer: `${ORIGIN}/api/other` }],
  ["without an issuer", { issuer: undefined }],
  ["without an endpoint", { token_endpoint: undefined }],
  [
    "with endpoints at another origin",
    {
      authorization_endpoint: "https://evil.example/authorize",
      token_endpoint: "https://evil.example/token",
    },
  ],
  ["with one endpoint at another origin", { token_endpoint: "https://evil.example/login/token" }],
  ["with a fragment in an endpoint", { token_endpoint: `${ORIGIN}/token#here` }],
  ["with a user in an endpoint", { token_endpoint: "https://a@calendar.example/token" }],
  ["with a password in an endpoint", { authorization_endpoint: "https://:b@calendar.example/authorize" }],
])("metadata %s is refused: exit 11", async (_, changes) => {
  await expect(discover(JSON.stringify({ ...METADATA, ...changes }))).rejects.toMatchObject({
    exitCode: 11,
    message: expect.stringContaining("the service's sign-in metadata cannot be used"),
  });
});

test.each([
  ["401", 401, JSON.stringify(METADATA)],
  ["a page for every path", 200, "<!doctype html>"],
  ["a list", 200, "[]"],
  ["a redirect", 302, ""],
])("there is no metadata where the response is %s", async (_, status, text) => {
  expect(await discover(text, status)).toBeNull();
});

test.each([
  [503, 8],
  [429, 7],
])("metadata that cannot be had because of %i is exit %i", async (status, exitCode) => {
  await expect(discover("{}", status)).rejects.toMatchObject({ exitCode });
});
