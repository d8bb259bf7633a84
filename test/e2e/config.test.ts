import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startAuthorizationServer } from "../support/authorization-server.js";
import { createInstallation } from "../support/spawned.js";

test("processes that change the configuration at once lose nothing", async () => {
  const { home, run } = createInstallation();
  await run("config", "set", "base_url", "https://work.example", "-p", "work");
  const names = ["one", "two", "three", "four", "five"];
  const lines = [
    ...names.map((name) => ["config", "set", "base_url", `https://${name}.example`, "-p", name]),
    ...["calendar", "label", "client_id"].map((key) => ["config", "set", key, key, "-p", "work"]),
    ["config", "set", "timezone", "Asia/Tokyo", "-p", "local"],
    ["profiles", "use", "work"],
  ];
  const ends = await Promise.all(lines.map((line) => run(...line)));
  expect(ends.map(({ exitCode }) => exitCode)).toEqual(lines.map(() => 0));
  const directory = join(home, ".config", "calctl");
  expect(JSON.parse(readFileSync(join(directory, "config.json"), "utf8"))).toEqual({
    profile: "work",
    profiles: {
      work: {
        base_url: "https://work.example",
        calendar: "calendar",
        label: "label",
        client_id: "client_id",
      },
      local: { timezone: "Asia/Tokyo" },
      ...Object.fromEntries(names.map((name) => [name, { base_url: `https://${name}.example` }])),
    },
  });
  expect(readdirSync(directory)).toEqual(["config.json"]);
});

describe("a configuration that others decide", () => {
  const WAYS = [
    ["that others may write to", (path: string) => chmodSync(path, 0o664), "other users can write to it"],
    ["of another user", (path: string) => chownSync(path, 65_534, 65_534), "it belongs to another user"],
  ] as const;

  test.for(WAYS)("%s runs no program and sends no token", async ([title, weaken, problem], { skip }) => {
    if (title === "of another user" && process.getuid?.() !== 0) skip("only root can give a file away");
    const server = await startAuthorizationServer();
    server.tokens.add("pat-1");
    const { home, run, runWith } = createInstallation();
    const ran = join(home, "ran");
    const token_command = JSON.stringify(["sh", "-c", `touch "${ran}"; echo pat-1`]);
    const work = { base_url: server.baseUrl, token_command };
    const path = join(home, ".config", "calctl", "config.json");
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, JSON.stringify({ profile: "work", profiles: { work } }), { mode: 0o600 });
    weaken(path);
    for (const env of [{}, { CALCTL_TOKEN: "pat-1" }]) {
      const result = await runWith({ env }, "whoami");
      expect(result).toMatchObject({ exitCode: 10, stdout: "", stderr: expect.stringContaining(problem) });
      expect(result.stderr).toMatch(/^hint: /m);
    }
    expect(server.userRequests).toEqual([]);
    expect(existsSync(ran)).toBe(false);
    chownSync(path, process.getuid?.() ?? -1, process.getgid?.() ?? -1);
    chmodSync(path, 0o600);
    expect((await run("whoami")).exitCode).toBe(0);
    expect(existsSync(ran)).toBe(true);
  });
});
