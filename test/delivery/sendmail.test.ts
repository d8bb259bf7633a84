import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { findSendmail, parseMailAddresses, sendMail } from "../../src/delivery/sendmail.js";
import { CliError } from "../../src/errors.js";

/** Mail through scripts that end as sendmail may. */

const MAIL = [
  "To: ana@example.org, ben@example.org",
  "Subject: Today",
  "",
  "Choir",
  ".",
  "..and a line after a line with only a dot",
  "",
].join("\n");

let home: string;
let bin: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "calctl-mail-"));
  bin = join(home, "bin");
  mkdirSync(bin);
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
});

interface Changes {
  readonly path?: string;
  readonly folders?: readonly string[];
  readonly platform?: string;
  readonly signal?: AbortSignal;
}

async function send({
  path = `${bin}:/usr/bin:/bin`,
  folders = [],
  platform = "linux",
  signal = new AbortController().signal,
}: Changes = {}) {
  const env = { PATH: path, HOME: home, CALCTL_TOKEN: "sentinel", CALCTL_WEBHOOK_URL: "sentinel" };
  return sendMail(MAIL, { env, platform, signal: () => signal, timeout: 20_000, folders }).then(
    () => null,
    (error: unknown) => error,
  );
}

function install(script: string): string {
  const path = join(bin, "sendmail");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("the exit codes of sendmail", () => {
  test.each([
    [64, "rejected"],
    [65, "rejected"],
    [67, "rejected"],
    [69, "rejected"],
    [70, "rejected"],
    [71, "unavailable"],
    [74, "unavailable"],
    [75, "outcome_unknown"],
    [77, "rejected"],
    [78, "configuration"],
    [1, "rejected"],
  ])("%i is %s, with what it said", async (exitCode, code) => {
    const path = install(`cat >/dev/null; echo "it   says" >&2; echo why >&2; exit ${exitCode}`);
    const message = `${path} ended with ${exitCode}: it says why`;
    expect(await send()).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test("0 is success, even if it does not read the message", async () => {
    install("exit 0");
    expect(await send()).toBeNull();
  });

  test("killed is exit 9", async () => {
    install("kill -9 $$");
    expect(await send()).toMatchObject({ exitCode: 9, message: expect.stringContaining("was killed") });
  });

  test("at most 200 characters of what it says are shown", async () => {
    install("head -c 100000 /dev/zero | tr '\\0' x >&2; exit 74");
    const error = await send();
    expect(error).toBeInstanceOf(CliError);
    expect((error as CliError).message).toMatch(/ended with 74: x{199}…$/);
  });
});

describe("sendmail", () => {
  test("is started without a shell, and without our secrets", async () => {
    install(`cat >"$HOME/mail"; echo "$@" >"$HOME/args"; env >"$HOME/env"`);
    expect(await send()).toBeNull();
    const read = (name: string) => readFileSync(join(home, name), "utf8");
    expect(read("mail")).toBe(MAIL);
    expect(read("args")).toBe("-t -i\n");
    expect(read("env")).not.toContain("sentinel");
  });

  test("is found beside PATH, as cron's is short", async () => {
    install('cat >"$HOME/mail"');
    expect(await send({ path: "/usr/bin:/bin", folders: [bin] })).toBeNull();
    expect(existsSync(join(home, "mail"))).toBe(true);
  });

  test("is sendmail.exe on Windows, and only in PATH", async () => {
    const program = install("cat >/dev/null");
    const missing = {
      message: "there is no sendmail.exe in PATH",
      hint: "install a mail program that has sendmail.exe",
    };
    const path = `${bin}:/usr/bin:/bin`;
    const env = { PATH: path };
    expect(() => findSendmail({ env, platform: "win32" })).toThrow(expect.objectContaining(missing));
    renameSync(program, join(bin, "sendmail.exe"));
    expect(await send({ path, platform: "win32" })).toBeNull();
  });

  test("that is missing, no program, or only in a relative folder is exit 10", async () => {
    mkdirSync(join(bin, "sendmail"));
    const other = join(home, "other");
    mkdirSync(other);
    symlinkSync("/bin/true", join(other, "sendmail"));
    for (const path of ["", bin, relative(process.cwd(), other)]) {
      expect(await send({ path })).toMatchObject({
        code: "configuration",
        message: "there is no sendmail in PATH",
        hint: expect.stringContaining("msmtp-mta"),
      });
    }
  });

  test("that is interrupted may have sent the mail: exit 130", async () => {
    install("touch $HOME/started; sleep 60");
    const controller = new AbortController();
    const sending = send({ signal: controller.signal });
    await expect.poll(() => existsSync(join(home, "started"))).toBe(true);
    controller.abort(new CliError("interrupted", "interrupted"));
    expect(await sending).toMatchObject({ exitCode: 130, mayHaveSucceeded: true });
  });

  test("that is interrupted before it starts has sent nothing: exit 130", async () => {
    install("exit 0");
    const controller = new AbortController();
    const sending = send({ signal: controller.signal });
    controller.abort(new CliError("interrupted", "interrupted"));
    expect(await sending).toMatchObject({ exitCode: 130, mayHaveSucceeded: false });
  });
});

describe("addresses", () => {
  test.each([
    ["ana@example.org", "ana@example.org"],
    [" ana@example.org ,ben+calendar@mail.example.org", "ana@example.org, ben+calendar@mail.example.org"],
    ["o'brien@localhost", "o'brien@localhost"],
  ])("%j are %j", (text, header) => {
    expect(parseMailAddresses(text, "--to")).toBe(header);
  });

  test.each([
    "",
    "ana",
    "@example.org",
    "ana@",
    "ana@example.org,",
    "ana@example.org\nBcc: eve@example.org",
    "ana@example.org\r\nSubject: x",
    "ana@example.org;ben@example.org",
    "Ana <ana@example.org>",
    '"a b"@example.org',
    "ana@exam ple.org",
    "ana@@example.org",
    "anä@example.org",
    `${"a".repeat(65)}@example.org`,
    `ana@${"a".repeat(252)}.org`,
    Array.from({ length: 21 }, (_, index) => `a${index}@example.org`).join(","),
  ])("%j are exit 2", (text) => {
    expect(() => parseMailAddresses(text, "--to")).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});
