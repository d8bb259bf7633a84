import { expect, test } from "vitest";
import { createInstallation } from "../support/spawned.js";
import { answerJson, startSilentServer } from "./support/silent-server.js";

/** What docs/debugging.md promises about Node's own messages. */

const TOKEN = "sentinel-0123456789";
const USER = { data: { id: "1", type: "user", attributes: { name: "Ana" } } };

async function stderrWith(nodeDebug: string, path = "") {
  const server = await startSilentServer();
  const env = { CALCTL_TOKEN: TOKEN, CALCTL_BASE_URL: `${server.url}${path}`, NODE_DEBUG: nodeDebug };
  const running = createInstallation(env).start("whoami", "-v");
  answerJson(await server.asked("GET "), USER);
  const { exitCode, stderr } = await running.ended;
  expect(exitCode).toBe(0);
  return { stderr, own: stderr.split("\n").filter((line) => line.startsWith("GET ")) };
}

test("NODE_DEBUG=undici shows addresses, and no headers or bodies", async () => {
  const { stderr } = await stderrWith("undici");
  expect(stderr).toMatch(/^UNDICI \d+: .*GET http:\/\/127\.0\.0\.1:\d+\/user/m);
  expect(stderr).not.toContain(TOKEN);
  expect(stderr).not.toContain("Ana");
});

test("NODE_DEBUG's lines are not masked, those of calctl are", async () => {
  const { stderr, own } = await stderrWith("undici", `/${TOKEN}`);
  expect(stderr).toMatch(new RegExp(`^UNDICI .*/${TOKEN}/user`, "m"));
  expect(own.join("\n")).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/\*\*\*\/user 200 \d+ ms$/);
});

test("messages of Node itself show no token", async () => {
  const { stderr } = await stderrWith("net,http,https,tls,stream,timer,child_process");
  expect(stderr).toMatch(/^NET \d+: /m);
  expect(stderr).not.toContain(TOKEN);
});
