import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createDeliveryWorld, type DeliveryWorld, foldersIn } from "../commands/messages/support/delivery.js";
import { startFaultServer } from "../support/fault-server.js";
import { reply } from "../support/fault-steps.js";
import { createInstallation, type Installation } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { startSession } from "./support/keyring.js";
import { openTerminal } from "./support/tmux.js";
import { filesBelow, watchProcesses } from "./support/watch.js";

/** Targets of the built program: in a real keyring, on a real terminal, and killed between the steps of saving. */

const SECRET = "sentinel-0123456789abcdef";
const OTHER = "sentinel-fedcba9876543210";

/** For many runs one after another, on a machine that has much else to do (ms). */
const MANY_TIMEOUT = 90_000;

/** The built program, and the delivery of messages, with the same files. */
function createMachine(env: Readonly<Record<string, string>> = {}): {
  readonly world: DeliveryWorld;
  readonly installation: Installation;
} {
  const world = createDeliveryWorld();
  return { world, installation: createInstallation({ ...foldersIn(world.directory), ...env }) };
}

function add(installation: Installation, url: string, ...flags: readonly string[]) {
  return installation.runWith({ stdin: url }, "targets", "add", "team", "--as", "slack", ...flags);
}

describeWithSystem("keyring", "a target in the keyring", () => {
  describeWithSystem("dbus", "of a session", () => {
    test("is used with the session, replaced and removed, and is exit 10 in cron, with what to do", async () => {
      const session = await startSession({ keyring: "unlocked" });
      const server = await startFaultServer();
      server.otherwise([reply({ status: 200, headers: {}, body: "ok" })]);
      const { world, installation } = createMachine(session.env);
      expect(await add(installation, `${server.baseUrl}/${SECRET}`)).toMatchObject({
        exitCode: 0,
        stdout: "",
      });
      expect((await world.deliver({ to: "team" }, { env: session.env })).error).toBeNull();
      expect((await add(installation, `${server.baseUrl}/${OTHER}`, "--replace")).exitCode).toBe(0);
      expect((await world.deliver({ to: "team" }, { env: session.env })).error).toBeNull();
      expect(server.requests.map(({ path }) => path)).toEqual([`/${SECRET}`, `/${OTHER}`]);

      const inCron = await world.open({ to: "team" }).catch((error: unknown) => error);
      expect(inCron).toMatchObject({
        exitCode: 10,
        message: expect.stringContaining("there is no keychain in this session"),
        hint: expect.stringMatching(/targets add --insecure-storage.*CALCTL_WEBHOOK_URL/),
      });
      expect(
        await createInstallation(foldersIn(world.directory)).run("targets", "remove", "team"),
      ).toMatchObject({
        exitCode: 10,
      });

      expect((await installation.run("targets", "remove", "team")).exitCode).toBe(0);
      // Gone from the keyring too: the record alone does not bring it back.
      const record = { profiles: {}, targets: { team: { as: "slack", store: "keychain" } } };
      writeFileSync(join(world.directory, "config.json"), JSON.stringify(record));
      await expect(world.deliver({ to: "team" }, { env: session.env })).rejects.toMatchObject({
        message: "the URL of target team is no longer in the keychain",
      });
    });

    test(
      "C13 is in no argument list, file, output or helper's environment, also with --debug",
      async () => {
        const session = await startSession({ keyring: "unlocked" });
        const server = await startFaultServer();
        server.otherwise([reply({ status: 404, headers: {}, body: `no_service /${SECRET}` })]);
        const { world, installation } = createMachine({ ...session.env, CALCTL_DEBUG: "1" });
        const watch = watchProcesses();
        const outputs: string[] = [];
        const url = `${server.baseUrl}/${SECRET}`;
        const file = join(installation.home, "url");
        for (const argv of [
          ["add", "team", "--as", "slack"],
          ["add", "team", "--as", "slack"],
          ["add", "team", "--as", "telegram", "--chat", "1", "--replace"],
          ["add", "other", "--as", "discord", "--url-file", file],
          ["list", "-o", "json"],
          ["remove", "other"],
        ]) {
          // In our own environment, so that a helper that inherits it is detected.
          const env = { CALCTL_WEBHOOK_URL: url };
          writeFileSync(file, url);
          const ran = await installation.runWith(
            { env, stdin: `${url}\n` },
            ...["targets", ...argv, "--debug", "--verbose"],
          );
          outputs.push(ran.stdout, ran.stderr);
        }
        rmSync(file);
        const flags = { debug: true, verbose: true };
        const { error, stderr } = await world.deliver({ to: "team" }, { env: session.env, flags });
        expect(error).toMatchObject({ exitCode: 11 });
        expect(stderr).toContain(`> POST ${server.baseUrl}/***`);
        outputs.push(stderr, `${error?.message} ${error?.hint} ${JSON.stringify(error?.details)}`);
        const seen = watch.stop();

        expect(seen.commandLines.some((line) => line.includes("--keychain-helper"))).toBe(true);
        const files = [...filesBelow(installation.home), ...filesBelow(world.directory)];
        const texts = [...seen.commandLines, ...seen.helperEnvironments, ...outputs];
        const all = [...texts, ...files.map((path) => readFileSync(path, "latin1"))];
        expect(all.filter((text) => text.includes(SECRET))).toEqual([]);
        expect(outputs.join("\n")).toContain("saved target team");
      },
      MANY_TIMEOUT,
    );

    test("locked is exit 10 before the URL is asked for", async () => {
      const session = await startSession({ keyring: "locked" });
      const { installation } = createMachine(session.env);
      const { exitCode, stderr } = await add(installation, `https://hooks.example/${SECRET}`);
      expect(exitCode).toBe(10);
      expect(stderr).toContain("--insecure-storage");
      expect(stderr).not.toContain(SECRET);
    });
  });
});

describe("targets add that is killed", () => {
  /** Starts it while another process writes the configuration, and kills it when the URL is stored. */
  async function killBetween(
    { installation, world }: ReturnType<typeof createMachine>,
    url: string,
    ...argv: readonly string[]
  ) {
    const lock = join(world.directory, "config.json.lock");
    mkdirSync(lock);
    writeFileSync(join(lock, `${process.pid}-0123456789ab-0123456789ab`), "");
    const running = installation.startWith(
      { stdin: url },
      ...["targets", "add", "team", ...argv, "--insecure-storage"],
    );
    // Not in the temporary file, which is not yet in its place.
    const files = () => filesBelow(world.directory).filter((path) => !basename(path).startsWith("."));
    const stored = () => files().map((path) => readFileSync(path, "utf8"));
    await vi.waitFor(() => expect(stored().join()).toContain(url), { timeout: 30_000, interval: 5 });
    running.child.kill("SIGKILL");
    await running.ended;
    rmSync(lock, { recursive: true });
  }

  test("after the URL was stored leaves no target, and can be repeated", async () => {
    const machine = createMachine();
    const url = `https://hooks.slack.com/services/${SECRET}`;
    await killBetween(machine, url, "--as", "slack");
    expect((await machine.installation.run("targets", "list")).stdout).toBe("");
    expect((await add(machine.installation, url, "--insecure-storage")).exitCode).toBe(0);
    expect((await machine.installation.run("targets", "list")).stdout).toBe("team\tslack\n");
    expect((await machine.installation.run("targets", "remove", "team")).exitCode).toBe(0);
    const left = filesBelow(machine.world.directory).map((path) => readFileSync(path, "utf8"));
    expect(left.join()).not.toContain(SECRET);
  });

  test("while it replaces one of another kind leaves that one as it was", async () => {
    const machine = createMachine();
    await add(machine.installation, `https://hooks.slack.com/services/${SECRET}`, "--insecure-storage");
    const url = `https://discord.com/api/webhooks/1/${OTHER}`;
    await killBetween(machine, url, "--as", "discord", "--replace");
    expect(await machine.world.open({ to: "team" })).toMatchObject({ kind: "slack" });
    expect((await machine.installation.run("targets", "list")).stdout).toBe("team\tslack\n");
  });
});

describeWithSystem("tmux", "targets add on a terminal", () => {
  test.each([80, 40])("asks for what is missing, and never shows the URL, at %i columns", async (columns) => {
    const { installation } = createMachine();
    const terminal = openTerminal(installation, { columns });
    terminal.type('calctl targets add family --insecure-storage; echo "exit $?"', "Enter");
    await terminal.shows("Message format:");
    terminal.type("-l", "--", "telegr");
    await terminal.shows("❯ telegram");
    terminal.type("Enter");
    await terminal.shows("Id of the chat");
    terminal.type("-l", "--", "team");
    terminal.type("Enter");
    await terminal.shows("is not the id");
    terminal.type("C-u");
    terminal.type("-l", "--", "-100123");
    terminal.type("Enter");
    await terminal.shows("Bot token");
    terminal.type("-l", "--", "123456789:AAF-sentinel_0123456789abcdefghijk");
    terminal.type("Enter");
    await terminal.shows("exit 0");
    expect(terminal.text()).not.toContain("sentinel");
    expect((await installation.run("targets", "list")).stdout).toBe("family\ttelegram\n");
  });

  test("Ctrl-C at the prompt keeps nothing: exit 130", async () => {
    const { installation } = createMachine();
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type('calctl targets add team --as slack --insecure-storage; echo "exit $?"', "Enter");
    await terminal.shows("URL of the webhook");
    terminal.type("C-c");
    await terminal.shows("exit 130");
    expect((await installation.run("targets", "list")).stdout).toBe("");
  });
});
