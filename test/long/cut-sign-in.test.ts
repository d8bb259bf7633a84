import { expect, test } from "vitest";
import { complaints, everyByteOf, recordAnswer } from "../api/cutting.js";
import { createMachine, type Machine } from "../commands/account/login-run.js";
import { type FaultServer, startFaultServer } from "../support/fault-server.js";
import { byService, cut, reply } from "../support/fault-steps.js";
import { createRemoteWorld } from "../support/remote-world.js";

/** Both ways to sign in, with responses cut after each byte: no profile and no token is stored. */

async function expectNothingKept(machine: Machine): Promise<void> {
  expect([...machine.keychain.entries]).toEqual([]);
  const profiles = await machine.run({}, "profiles", "list", "--fields", "name");
  expect(profiles.stdout).toBe("local\n");
}

test("login --with-token, in the response to GET /user", async () => {
  const { server, service } = await createRemoteWorld();
  const { token } = await service.admin.tokens.create({ user: "ana", readOnly: false });
  const argv = ["login", "--with-token", "--base-url", server.baseUrl, "-p", "work"];
  const { answer } = await recordAnswer(server, byService(service), "GET /user", () =>
    createMachine().run({ stdin: token }, ...argv),
  );
  const machine = createMachine();
  const wrong: string[] = [];
  for (const at of everyByteOf(answer)) {
    server.on("GET /user", [cut(answer, { at })]);
    const result = await machine.run({ stdin: token, env: { CALCTL_RETRIES: "0" } }, ...argv);
    wrong.push(...complaints(result, { exitCode: 8 }).map((text) => `byte ${at}: ${text}`));
  }
  expect(wrong).toEqual([]);
  await expectNothingKept(machine);
});

/** The response to a token request in the contract. */
const GRANTED = {
  status: 200,
  headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  body: '{"access_token":"0123456789abcdef0123456789abcdef","created_at":1795270000,"token_type":"Bearer"}',
};
const ANA = { status: 200, body: '{"data":{"id":"1","type":"user","attributes":{"name":"Ana"}}}' };

/** Signs in with a browser that returns with a code immediately. */
async function signIn(server: FaultServer, machine: Machine) {
  const argv = ["--base-url", server.baseUrl, "--auth-url", `${server.baseUrl}/oauth`, "--client-id", "c"];
  const env = { CALCTL_CLIENT_SECRET: "the-client-secret" };
  const login = machine.start({ env }, "login", ...argv, "--no-browser", "-q", "-p", "work");
  const asked = new URL(await login.address()).searchParams;
  const query = new URLSearchParams({ code: "the-code", state: asked.get("state") ?? "" });
  const page = await (await fetch(`${asked.get("redirect_uri")}?${query}`)).text();
  return { ...(await login.ended), page };
}

test("login in the browser, in the response to POST /token", async () => {
  const server = await startFaultServer();
  const machine = createMachine();
  const wrong: string[] = [];
  for (const at of everyByteOf(GRANTED)) {
    server.forget();
    server.on("POST /oauth/token", [cut(GRANTED, { at })], [reply(GRANTED)]);
    const { page, ...result } = await signIn(server, machine);
    const found = complaints(result, { exitCode: 8 });
    if (result.stderr.split("\n").filter((line) => line.startsWith("error: ")).length !== 1)
      found.push(`not one line: ${result.stderr}`);
    if (!page.includes("Not signed in")) found.push(`the browser reads ${page}`);
    if (server.requests.length !== 1) found.push(`${server.requests.length} requests`);
    wrong.push(...found.map((text) => `byte ${at}: ${text}`));
  }
  expect(wrong).toEqual([]);
  await expectNothingKept(machine);
  server.on("POST /oauth/token", [reply(GRANTED)]);
  server.on("GET /user", [reply(ANA)]);
  expect(await signIn(server, machine)).toMatchObject({ exitCode: 0 });
});
