import { expect, test } from "vitest";
import { TransportError } from "../../../src/api/transport.js";
import { redeemCode } from "../../../src/auth/browser/token-client.js";

const REDEMPTION = {
  tokenEndpoint: "https://calendar.example/oauth/token",
  clientId: "client-1",
  clientSecret: "client-secret",
  redirectUri: "http://127.0.0.1:5000/callback",
  code: "the-code",
  codeVerifier: "the-verifier",
};

/** Redeems a code at an endpoint with this response. */
const redeem = (status: number, text: string) =>
  redeemCode(
    REDEMPTION,
    async () => ({ status, headers: {}, body: new TextEncoder().encode(text) }),
    new AbortController().signal,
  );

test("a token of any case of the type Bearer is returned", async () => {
  expect(await redeem(200, '{"access_token":"a","token_type":"Bearer"}')).toBe("a");
  expect(await redeem(201, '{"access_token":"b","token_type":"bEARER"}')).toBe("b");
});

test.each([
  ["invalid_grant", 400, '{"error":"invalid_grant","error_description":"too old"}', 4, "too old"],
  ["invalid_client", 401, '{"error":"invalid_client"}', 4, "client secret"],
  ["an error with 200", 200, '{"error":"invalid_grant"}', 4, "invalid_grant"],
  ["server_error", 400, '{"error":"server_error"}', 8, "server_error"],
  ["a gateway's own 503", 503, '{"error":"Service Unavailable"}', 8, "503"],
  ["a server_error with 500", 500, '{"error":"server_error"}', 8, "500"],
  ["a refusal with 403", 403, '{"error":"access_denied"}', 4, "declined"],
  ["too many requests, in JSON", 429, '{"error":"rate_limited"}', 7, "rate limit"],
  ["a framework's own 404", 404, '{"status":404,"error":"Not Found"}', 11, "--auth-url"],
  ["an error that is none of OAuth's", 400, '{"error":"it\\nfailed"}', 11, "--auth-url"],
  ["a 500 without a word", 500, "", 8, "500"],
  ["a gateway's 502", 502, "<html>", 8, "502"],
  ["too many requests", 429, "{}", 7, "rate limit"],
  ["a 404 page", 404, "<html>", 11, "--auth-url"],
  ["a page", 200, "<html>hello", 11, "not JSON"],
  ["nothing", 200, "", 11, "empty"],
  ["no token", 200, '{"token_type":"Bearer"}', 11, "access_token"],
  ["an empty token", 200, '{"access_token":"","token_type":"Bearer"}', 11, "access_token"],
  ["a token with a line break", 200, '{"access_token":"a\\nb","token_type":"Bearer"}', 11, "access_token"],
  ["a number", 200, '{"access_token":1,"token_type":"Bearer"}', 11, "access_token"],
  ["another type", 200, '{"access_token":"a","token_type":"mac"}', 11, "token_type"],
  ["half JSON", 200, '{"access_token":"a', 11, "not JSON"],
  ["a list", 200, "[]", 11, "OAuth"],
  ["two megabytes", 200, JSON.stringify({ x: "y".repeat(2_000_000) }), 11, "1 MiB"],
  ["a redirect", 307, "", 11, "it is a redirect"],
])("the response %s is an error", async (_, status, text, exitCode, words) => {
  const error = await redeem(status, text).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "CliError", exitCode });
  const { message, hint } = error as { readonly message: string; readonly hint: string };
  expect(`${message}\n${hint}`).toContain(words);
});

test("a response that the connection gives up as too large is no OAuth response", async () => {
  const tooLarge = new TransportError("larger than 1 MiB", {
    ...{ kind: "too_large", sent: "yes", reason: "larger than 1 MiB", hint: undefined },
  });
  const transport = () => Promise.reject(tooLarge);
  await expect(redeemCode(REDEMPTION, transport, new AbortController().signal)).rejects.toMatchObject({
    exitCode: 11,
    message: expect.stringContaining("it is larger than 1 MiB"),
    hint: expect.stringContaining("--auth-url"),
  });
});
