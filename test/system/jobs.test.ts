import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Check } from "../../src/output/views/check.js";
import { QUIET } from "../support/outcomes.js";
import { describeWithSystem } from "../support/system.js";
import { createJobWorld, NOON_ZONE } from "./support/job-world.js";
import { startSession } from "./support/keyring.js";

/** Jobs of the built program: what `doctor` finds before, and the workflow of the examples. */

describeWithSystem("keyring", "doctor with a keyring", () => {
  describeWithSystem("dbus", "of a session", () => {
    test("finds what a job cannot read there: exit 10 until both are in files", async () => {
      const session = await startSession({ keyring: "unlocked" });
      const { service, files, ...world } = await createJobWorld(session.env);
      const login = (flag: string) =>
        world.shell(`calctl login --with-token ${flag} --base-url ${service.baseUrl} < '${files.token}'`);
      const add = (flag: string) =>
        world.shell(`calctl targets add team --as slack ${flag} < '${files.url}'`);
      const failuresOf = async () => {
        const { exitCode, stdout } = await world.run("doctor", "--to", "team", "-o", "json");
        const checks: readonly Check[] = JSON.parse(stdout);
        return {
          exitCode,
          failures: checks.filter(({ ok }) => !ok),
          lines: checks.filter(({ check }) => check === "crontab"),
        };
      };
      expect(await login("")).toMatchObject({ exitCode: 0 });
      expect(await add("")).toMatchObject({ exitCode: 0 });
      // With the session, everything works.
      expect(await world.run("post", "--to", "team", "--timezone", NOON_ZONE)).toMatchObject({ exitCode: 0 });
      expect(await failuresOf()).toEqual({
        exitCode: 10,
        lines: [],
        failures: [
          {
            check: "token",
            ok: false,
            detail: expect.stringContaining("in the keychain"),
            hint: expect.stringContaining("calctl login --insecure-storage"),
          },
          {
            check: "target",
            ok: false,
            detail: expect.stringContaining("keychain"),
            hint: expect.stringContaining("targets add --insecure-storage"),
          },
        ],
      });
      expect(await login("--insecure-storage")).toMatchObject({ exitCode: 0 });
      expect(await failuresOf()).toMatchObject({ exitCode: 10, failures: [{ check: "target" }] });
      expect(await add("--insecure-storage --replace")).toMatchObject({ exitCode: 0 });
      const { exitCode, failures, lines } = await failuresOf();
      expect({ exitCode, failures }).toEqual({ exitCode: 0, failures: [] });
      expect(lines).not.toEqual([]);
    });
  });
});

interface Workflow {
  readonly jobs: {
    readonly post: {
      readonly env: Readonly<Record<string, string>>;
      readonly steps: readonly {
        readonly run?: string;
        readonly uses?: string;
        readonly with?: Readonly<Record<string, unknown>>;
      }[];
    };
  };
}

test("examples/calctl-digest.yml posts once, also when its run is repeated", async () => {
  const world = await createJobWorld();
  const { service, hook, posted } = world;
  const file = new URL("../../examples/calctl-digest.yml", import.meta.url);
  const { env, steps } = (parse(readFileSync(file, "utf8")) as Workflow).jobs.post;
  const expressions = new Map([
    ["secrets.CALCTL_TOKEN", service.token],
    ["secrets.CALCTL_WEBHOOK_URL", hook],
    ["github.workspace", world.home],
  ]);
  const place = (value: string) =>
    value
      .replace("https://calendar.example/api", service.baseUrl)
      .replace(/\$\{\{ ([\w.]+) \}\}/g, (all, name: string) => expressions.get(name) ?? all);
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, place(value)]));
  expect(Object.values(variables).join()).not.toMatch(/\$\{|example/);
  const commands = steps.flatMap(({ run = "" }) => (run.startsWith("calctl ") ? [run] : []));
  expect(commands).toHaveLength(1);
  // As on a runner: an empty home, and CI.
  const [command = ""] = commands.map((run) => run.replace("Europe/Berlin", NOON_ZONE));
  for (const _run of [1, 2]) {
    const exports = Object.entries({ ...variables, CI: "true" }).map(
      ([name, value]) => `export ${name}='${value}';`,
    );
    expect(await world.shell(`set -e; ${exports.join(" ")} ${command}`)).toEqual(QUIET);
  }
  expect(posted).toHaveLength(1);
  // What is kept between runs is the folder with the state.
  const kept = steps.flatMap(({ with: { path } = {} }) => (path === undefined ? [] : [path]));
  expect(kept).toEqual(["state", "state"]);
  expect(readFileSync(join(world.home, "state", "state.db")).length).toBeGreaterThan(0);
});
