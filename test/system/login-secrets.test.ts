import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { addressIn } from "../commands/account/login-run.js";
import { startAuthorizationServer } from "../support/authorization-server.js";
import { createInstallation } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { words } from "../support/words.js";
import { startSession } from "./support/keyring.js";
import { filesBelow, watchProcesses } from "./support/watch.js";

/** Everything of a login and a session that others can see. */

describeWithSystem("keyring", "secrets", () => {
  test("C13 are in no argument list, file, output or helper's environment, also with --debug", async () => {
    const server = await startAuthorizationServer();
    const session = await startSession({ keyring: "unlocked" });
    const installation = createInstallation({ ...session.env, CALCTL_DEBUG: "1" });
    const watch = watchProcesses();
    const outputs: string[] = [];

    const flags = words`--base-url ${server.baseUrl} --auth-url ${server.authUrl} --client-id
      ${server.clientId}`;
    // In our own environment, so that a helper that inherits it is detected.
    const login = installation.startWith(
      { env: { CALCTL_CLIENT_SECRET: server.clientSecret } },
      ...["login", ...flags, "--no-browser", "--debug", "--verbose"],
    );
    const address = addressIn(await login.stderrWith("code_challenge_method=S256\n"));
    const back = server.consent(address);
    await fetch(back);
    const first = await login.ended;
    expect(first.exitCode).toBe(0);
    expect(first.stderr).toContain(`> POST ${server.authUrl}/token`);
    // The URL is meant to be opened and contains the state; nothing else does.
    outputs.push(first.stdout, first.stderr.replace(address, ""));

    const commands = [
      ["whoami"],
      ["status", "-o", "json"],
      ["calendars"],
      ["events", "list"],
      ["config", "list"],
    ];
    for (const argv of [...commands, ["profiles", "list"], ["nonsense"], ["logout"], ["whoami"]]) {
      const { stdout, stderr } = await installation.run(...argv, "--debug", "--verbose");
      outputs.push(stdout, stderr);
      if (argv[0] === "calendars") expect(stderr).toContain("> authorization: ***");
    }
    const seen = watch.stop();

    const { code_verifier: verifier, code } = server.tokenRequests[0]?.body ?? {};
    const state = new URL(address).searchParams.get("state");
    const secrets = [...server.tokens, server.clientSecret, verifier, code, state];
    const files = filesBelow(installation.home).map((path) => readFileSync(path, "latin1"));
    expect(seen.commandLines.some((line) => line.includes("--keychain-helper"))).toBe(true);
    for (const secret of secrets) {
      expect(secret).toMatch(/^.{16,}$/);
      const found = [...seen.commandLines, ...seen.helperEnvironments, ...files, ...outputs].filter((text) =>
        text.includes(secret ?? ""),
      );
      expect(found).toEqual([]);
    }
  });
});
