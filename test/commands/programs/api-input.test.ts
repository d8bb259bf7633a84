import { expect, test } from "vitest";
import { createRemoteWorld } from "../../support/remote-world.js";
import { share } from "../../support/shared.js";

/** Arguments of `calctl api` that are exit 2, and nothing is sent. */

const shared = share(createRemoteWorld);

async function refuse(...argv: readonly string[]): Promise<string> {
  const { send, server } = shared();
  const { exitCode, stdout, stderr } = await send("api", ...argv);
  expect({ exitCode, stdout, requests: server.requests }).toEqual({ exitCode: 2, stdout: "", requests: [] });
  return stderr;
}

test.each([
  "",
  "//other.example/user",
  "https://other.example/user",
  "http://127.0.0.1:1/user",
  "file:///etc/passwd",
  "..",
  "/../user",
  "/calendars/../user",
  "/calendars/%2e%2E/user",
  "/calendars/.%2e/user",
  "/calendars/%252e%252e/user",
  "/calendars/..%2fuser",
  "/calendars/..%5cuser",
  "/calendars/./user",
  "/calendars\\..\\user",
  "/\\other.example",
  "\\\\other.example",
  "/a\tb",
  "/a\nb",
  "/a%0ab",
  "/a%00",
  "/a b",
  "/a#b",
  "/a%zz",
  " /user",
])("for the path %j", async (path) => {
  expect(await refuse("--", path)).toMatch(/^error: PATH: .+\nhint: .+\n$/);
});

test.each([
  [["-X", "PATCH", "/x"], /--method.*PATCH/],
  [["/x", "--input", "-"], /--input: a GET has no body/],
  [["-X", "DELETE", "/x", "--input", "-"], /a DELETE has no body/],
  [["-X", "POST", "/x", "--input", "-", "-f", "a=b"], /either --field or --input/],
  [["-X", "POST", "/x", "-f", "title"], /--field: "title" is not KEY=VALUE/],
  [["-X", "POST", "/x", "-f", "=a"], /--field: "=a" is not KEY=VALUE/],
  [["-X", "POST", "/x", "-f", "a=1", "-f", "a=2"], /a is given twice/],
  [["-X", "POST", "/x", "-f", "all_day=yes"], /all_day is "yes"/],
  [["-X", "POST", "/x", "--input", "/nonexistent"], /nonexistent/],
  [["/x", "--fields", "id"], /--fields: this command prints JSON/],
  [["/x", "--template", "a"], /--template: this command prints JSON/],
  [["/x", "-o", "csv"], /--output: this command has no format "csv"/],
  [["/x", "-i", "--jq", "."], /--include and --jq/],
] as const)("for %j", async (argv, message) => {
  expect(await refuse(...argv)).toMatch(message);
});
