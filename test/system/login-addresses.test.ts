import { expect, test } from "vitest";
import { failed } from "../support/outcomes.js";
import { createInstallation, PROGRAM } from "../support/spawned.js";

/** Machines with an unusual loopback interface, each in its own network namespace. */

const SECRET = { CALCTL_CLIENT_SECRET: "secret" };
const login = (...more: readonly string[]) =>
  [
    `"${process.execPath}" "${PROGRAM}" login --no-browser --insecure-storage --login-timeout 1`,
    "--base-url https://calendar.example/api --auth-url https://calendar.example/oauth --client-id c",
    ...more,
  ].join(" ");

/** Runs a line where loopback has only one address. */
async function runWithout(family: "IPv4" | "IPv6", line: string) {
  const address = family === "IPv4" ? "127.0.0.1/8" : "::1/128";
  const installation = createInstallation(SECRET);
  return installation.shell(
    `PATH="$PATH:/usr/sbin:/sbin" exec unshare -n sh -c 'ip link set lo up && ip addr del ${address} dev lo || exit 99; ${line}'`,
  );
}

test.for([
  ["IPv4", "the redirect URI that nobody named", login(), 4, "http%3A%2F%2F%5B%3A%3A1%5D%3A"],
  ["IPv4", "127.0.0.1", login("--redirect-uri http://127.0.0.1/callback"), 10, "http://[::1]/callback"],
  ["IPv6", "localhost", login("--redirect-uri http://localhost/callback"), 4, "http%3A%2F%2Flocalhost%3A"],
  ["IPv6", "[::1]", login("--redirect-uri http://[::1]/callback"), 10, "http://127.0.0.1/callback"],
] as const)(
  "a machine without %s listens for %s, or says what to do",
  async ([family, _, line, exitCode, words], { skip }) => {
    const result = await runWithout(family, line);
    if (result.exitCode === 99 || result.stderr.includes("unshare"))
      skip(`no such network: ${result.stderr}`);
    expect(result).toMatchObject(failed(exitCode, words));
  },
);
