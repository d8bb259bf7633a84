import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type AuthorizationServer, startAuthorizationServer } from "../support/authorization-server.js";
import { createFolderForOthers } from "../support/folder-for-others.js";
import { failed } from "../support/outcomes.js";
import { copyProgram, createInstallation, type Installation, PROGRAM } from "../support/spawned.js";
import { describeWithOtherUsers } from "../support/system.js";

/** Concurrent logins, and machines on which files cannot be written. */

let server: AuthorizationServer;
let installation: Installation;

beforeEach(async () => {
  server = await startAuthorizationServer();
  installation = createInstallation({ CALCTL_BASE_URL: server.baseUrl });
});

function signIn(profile: string, token: string) {
  server.tokens.add(token);
  const argv = ["login", "--with-token", "--insecure-storage", "-p", profile];
  return installation.runWith({ stdin: token }, ...argv);
}

function tokenFiles(): readonly string[] {
  const folder = join(installation.home, ".local/share/calctl/tokens");
  return existsSync(folder) ? readdirSync(folder) : [];
}

const SIX = ["p1", "p2", "p3", "p4", "p5", "p6"];

describe("concurrent logins", () => {
  test("for different profiles are all stored, each with its token", async () => {
    const results = await Promise.all(SIX.map((name) => signIn(name, `token-of-${name}`)));
    expect(results.map(({ exitCode }) => exitCode)).toEqual(SIX.map(() => 0));
    const { stdout } = await installation.run("profiles", "list", "--fields", "name");
    expect(stdout.trim().split("\n").sort()).toEqual(["local", ...SIX]);
    expect(tokenFiles()).toHaveLength(6);
    for (const name of SIX) {
      const { stdout: token } = await installation.runWith({ env: { CALCTL_PROFILE: name } }, "token");
      expect(token).toBe(`token-of-${name}\n`);
    }
  });

  test("beside logouts of the profile all succeed, and the last one decides", async () => {
    await signIn("work", "token-of-p0");
    const results = await Promise.all(
      ["p1", "p2", "p3"].flatMap((name) => [
        signIn("work", `token-of-${name}`),
        installation.run("logout", "-p", "work"),
      ]),
    );
    expect(results.map(({ exitCode }) => exitCode)).toEqual(SIX.map(() => 0));
    const { exitCode } = await installation.runWith({ env: { CALCTL_PROFILE: "work" } }, "token");
    expect({ exitCode, files: tokenFiles().length }).toEqual(
      tokenFiles().length > 0 ? { exitCode: 0, files: 1 } : { exitCode: 4, files: 0 },
    );
  });
});

describe("a login that cannot write", () => {
  const login = (program: string) =>
    `"${process.execPath}" "${program}" login --with-token --insecure-storage -p work`;

  test("because the disk is full is exit 10 and leaves nothing", async () => {
    server.tokens.add("pat-1");
    // Files are limited to 0 bytes and the signal about it is ignored: writes fail as on a full disk.
    const result = await installation.shell(`trap "" XFSZ; ulimit -f 0; echo pat-1 | ${login(PROGRAM)}`);
    expect(result).toMatchObject(failed(10, "(file too large)"));
    expect(tokenFiles()).toEqual([]);
    expect((await installation.run("profiles", "list", "--fields", "name")).stdout).toBe("local\n");
  });

  describeWithOtherUsers("as another user", () => {
    test("because the folder is read-only is exit 10 before any prompt", async () => {
      const folder = createFolderForOthers("calctl-login-");
      onTestFinished(() => rmSync(folder, { recursive: true }));
      writeFileSync(join(folder, "token"), "pat-1");
      const drop = "setpriv --reuid 65534 --regid 65534 --clear-groups";
      const env = `env HOME="${folder}" CALCTL_DATA_DIR="${folder}" CALCTL_CONFIG_DIR="${folder}"`;
      const result = await installation.shell(
        `cd /; ${drop} ${env} ${login(copyProgram())} < "${folder}/token"`,
      );
      expect(result).toMatchObject(failed(10, "(permission denied)"));
      expect(server.userRequests).toEqual([]);
    });
  });
});
