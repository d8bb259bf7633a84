import { spawnSync } from "node:child_process";
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
import { failed } from "../support/outcomes.js";
import { createInstallation, PROGRAM } from "../support/spawned.js";

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
    if (title === "of another user" && process.geteuid?.() !== 0) skip("only root can give a file away");
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
      expect(result).toMatchObject(failed(10, problem));
      expect(result.stderr).toMatch(/^hint: /m);
    }
    expect(server.userRequests).toEqual([]);
    expect(existsSync(ran)).toBe(false);
    chownSync(path, process.geteuid?.() ?? -1, process.getgid?.() ?? -1);
    chmodSync(path, 0o600);
    expect((await run("whoami")).exitCode).toBe(0);
    expect(existsSync(ran)).toBe(true);
  });
});

test("nothing is written into the configuration folder of another user", async ({ skip }) => {
  if (process.geteuid?.() !== 0) skip("only root can give a folder away");
  const { home, run } = createInstallation();
  const folder = join(home, ".config", "calctl");
  mkdirSync(folder, { recursive: true });
  chownSync(folder, 65_534, 65_534);
  for (const argv of [
    ["config", "set", "timezone", "Asia/Tokyo"],
    ["profiles", "use", "local"],
  ]) {
    expect(await run(...argv)).toEqual({
      exitCode: 10,
      stdout: "",
      stderr: `error: the folder ${folder} is not used: it belongs to another user
hint: run calctl as that user, or with a folder of your own: sudo -H, HOME or CALCTL_CONFIG_DIR
`,
    });
  }
  expect(readdirSync(folder)).toEqual([]);
  expect((await run("config", "list")).exitCode).toBe(0);
});

describe("a token file that others may read or write", () => {
  /** An installation of a remote service, and the path of its token file. */
  function installTokenFile(mode: number) {
    const installation = createInstallation();
    const path = join(installation.home, "token-file");
    writeFileSync(path, "pat-1");
    chmodSync(path, mode);
    const tokenEnv = { CALCTL_BASE_URL: "https://127.0.0.1:1", CALCTL_TOKEN_FILE: path };
    const runWithToken = (...argv: string[]) => installation.runWith({ env: tokenEnv }, ...argv);
    return { ...installation, path, tokenEnv, runWithToken };
  }

  test("is used with a line on stderr, which --quiet and jobs leave out", async () => {
    const { path, runWithToken } = installTokenFile(0o644);
    const note = `other users can read the token in ${path}: chmod 600 ${path}\n`;
    expect(await runWithToken("token")).toMatchObject({ exitCode: 0, stdout: "pat-1\n", stderr: note });
    expect(await runWithToken("token", "-q")).toMatchObject({ exitCode: 0, stdout: "pat-1\n", stderr: "" });
    const job = ["events", "changes", "--since-last", "n", "-c", "x", "--timeout", "1", "--retries", "0"];
    expect((await runWithToken(...job)).stderr).not.toContain("other users");
    expect((await runWithToken(...job, "-v")).stderr).toContain(note);
  });

  test("is exit 10 if they may write, with what to do", async () => {
    const { runWithToken } = installTokenFile(0o666);
    const { stderr, ...result } = await runWithToken("token");
    expect(result).toMatchObject({ exitCode: 10, stdout: "" });
    expect(stderr).toMatch(/other users can write to it\nhint: .*chmod 600/);
  });

  test("is used if its file system is mounted read-only, as in a container", async ({ skip }) => {
    const namespace = ["--mount", "sh", "-ec"];
    if (process.getuid?.() !== 0 || spawnSync("unshare", [...namespace, ":"]).status !== 0)
      skip("only root can mount a folder");
    const { path, env, tokenEnv } = installTokenFile(0o644);
    chownSync(path, 65_534, 65_534);
    const read = (mount: string) => {
      const script = `${mount} exec "$0" "$1" token`;
      const argv = [...namespace, script, process.execPath, PROGRAM];
      const { status, stdout } = spawnSync("unshare", argv, {
        encoding: "utf8",
        env: { ...env, ...tokenEnv },
      });
      return { status, stdout };
    };
    expect(read("")).toEqual({ status: 10, stdout: "" });
    const readOnly = 'mount --bind "$HOME" "$HOME"; mount -o remount,bind,ro "$HOME";';
    expect(read(readOnly)).toEqual({ status: 0, stdout: "pat-1\n" });
  });
});
