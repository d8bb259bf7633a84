import { expect, test } from "vitest";
import { environmentSecrets } from "../../src/config/environment.js";

test("tokens, client secrets and the passwords of proxies are secrets", () => {
  const env = {
    CALCTL_TOKEN: "token-1",
    CALCTL_CLIENT_SECRET: "secret-1",
    HTTPS_PROXY: "http://me:p%40ss@proxy.example:3128",
    http_proxy: "me:word@proxy.example:3128",
    ALL_PROXY: "http://me:100%@proxy.example",
    CALCTL_BASE_URL: "https://calendar.example",
  };
  expect(environmentSecrets(env)).toEqual(["token-1", "secret-1", "p@ss", "word", "100%"]);
});

test.each([
  {},
  { CALCTL_TOKEN: "" },
  { HTTPS_PROXY: "http://proxy.example" },
  { HTTPS_PROXY: "::not a URL::" },
])("%j contains none", (env) => {
  expect(environmentSecrets(env)).toEqual([]);
});

test("the passwords of the service's database are secrets, its URL is not", () => {
  const env = { CALCTL_SERVICE_DB: "postgres://calctl:s%40fe@db.example/calctl", PGPASSWORD: "word" };
  expect(environmentSecrets(env)).toEqual(["s@fe", "word"]);
});
