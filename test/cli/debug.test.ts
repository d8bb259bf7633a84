import { expect, test } from "vitest";
import { addressIn, createMachine } from "../commands/account/login-run.js";
import { startAuthorizationServer } from "../support/authorization-server.js";
import { createHarness } from "../support/harness.js";
import { startWireRecorder } from "../support/wire-recorder.js";

const TOKEN = "sentinel/token+0123456789";

async function startService() {
  const harness = await createHarness();
  const recorder = await startWireRecorder(harness.service);
  const env = { CALCTL_BASE_URL: recorder.baseUrl, CALCTL_TOKEN: TOKEN };
  return { recorder, run: (...argv: readonly string[]) => harness.runWith({ env }, ...argv) };
}

test("--debug shows requests and responses, also those of the service in this process", async () => {
  const { run, runWith } = await createHarness();
  const { stdout, stderr } = await run("whoami", "--debug", "-o", "json");
  const lines = stderr.split("\n");
  expect(lines[0]).toBe("> GET local /user");
  expect(lines[1]).toMatch(/^> accept: application\//);
  expect(lines[2]).toMatch(/^GET local \/user 200 \d+ ms$/);
  expect(lines[3]).toBe("< 200");
  expect(lines).toContainEqual(expect.stringMatching(/^< content-type: application\//));
  const body = JSON.parse(lines.find((line) => line.startsWith("< {"))?.slice(2) ?? "");
  expect(body.data.attributes.name).toBe(JSON.parse(stdout).name);
  const byVariable = await runWith({ env: { CALCTL_DEBUG: "1" } }, "whoami", "-o", "json");
  expect(byVariable).toEqual({ exitCode: 0, stdout, stderr });
});

test("--verbose prints one line per attempt, and --debug includes it once", async () => {
  const { run } = await createHarness();
  expect((await run("whoami", "-v")).stderr).toMatch(/^GET local \/user 200 \d+ ms\n$/);
  const both = await run("whoami", "-v", "--debug");
  expect(both.stderr.match(/ \d+ ms$/gm)).toHaveLength(1);
});

test("--debug shows the body of a write", async () => {
  const { run } = await createHarness();
  const flags = ["--title", "Lunch", "--start", "2026-11-21T12:00", "--duration", "1h", "--debug"];
  const { stderr } = await run("events", "create", ...flags);
  expect(stderr).toMatch(
    /^> POST local \/calendars\/[^\n]+\n> accept: [^\n]+\n> content-type: [^\n]+\n> idempotency-key: [^\n]+\n>\n> \{"data":/m,
  );
  expect(stderr).toContain('"title":"Lunch"');
});

test("a response cannot fake a line or control the terminal", async () => {
  const { recorder, run } = await startService();
  recorder.answer("GET /user", {
    status: 403,
    headers: { "x-note": "a\tb\u009b31m" },
    body: "a\n> POST https://elsewhere.example\r\u001b[2J\u202e",
  });
  const { stderr } = await run("whoami", "--debug");
  expect(stderr).toMatch(/^< x-note: a\\tb.*\\x9b31m$/m);
  expect(stderr).toContain("\n< a\n< > POST https://elsewhere.example\\r\\x1b[2J\\u{202e}\n");
});

test("the token is never on stderr in any encoding, whatever the service repeats", async () => {
  const { recorder, run } = await startService();
  const forms = [
    TOKEN,
    encodeURIComponent(TOKEN),
    TOKEN.replaceAll("/", "\\/"),
    Buffer.from(`x:${TOKEN}`).toString("base64"),
  ];
  const [, ...encoded] = forms;
  recorder.answer("GET /user", {
    status: 400,
    headers: { "x-echo": `Bearer ${TOKEN}` },
    body: JSON.stringify({ errors: { token: [`bad ${forms.join(" ")}`], [TOKEN]: [TOKEN] } }),
  });
  for (const flags of [[], ["--debug"], ["-o", "json"], ["-o", "json", "--debug"], ["-v"]]) {
    const { exitCode, stdout, stderr } = await run("whoami", ...flags);
    expect({ exitCode, stdout }).toEqual({ exitCode: 11, stdout: "" });
    expect(stderr).toContain("***");
    expect(stderr.toLowerCase()).not.toContain("sentinel");
    for (const form of encoded) expect(stderr).not.toContain(form.slice(6));
  }
  const { stderr } = await run("whoami", "-o", "json");
  expect(JSON.parse(stderr).error.details).toMatchObject({ "***": ["***"] });
});

test("stdout shows a token on request", async () => {
  const { run } = await startService();
  expect(await run("token", "--debug")).toMatchObject({ exitCode: 0, stdout: `${TOKEN}\n` });
});

test("--debug shows a complete login without its secrets", async () => {
  const server = await startAuthorizationServer();
  const machine = createMachine();
  const flags = ["--base-url", server.baseUrl, "--auth-url", server.authUrl, "--client-id", server.clientId];
  const login = machine.start(
    { stdin: server.clientSecret },
    ...["login", ...flags, "--client-secret-file", "-", "--no-browser", "--debug"],
  );
  const address = await login.address();
  const back = server.consent(address);
  await fetch(back);
  const { exitCode, stderr } = await login.ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`> POST ${server.authUrl}/token`);
  expect(stderr).toContain('"client_secret":"***"');
  expect(stderr).toContain('"code_verifier":"***"');
  expect(stderr).toContain('"access_token":"***"');
  expect(stderr).toContain("> authorization: ***");
  const { code_verifier: verifier, code } = server.tokenRequests[0]?.body ?? {};
  for (const secret of [...server.tokens, server.clientSecret, verifier, code]) {
    expect(stderr).not.toContain(secret);
  }
  // The sign-in URL is meant to be shown and contains the state; nothing else does.
  const state = new URL(addressIn(stderr)).searchParams.get("state") ?? "";
  expect(stderr.split(state)).toHaveLength(2);
});
