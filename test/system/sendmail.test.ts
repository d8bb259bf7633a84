import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sendMail } from "../../src/delivery/sendmail.js";
import { describeWithSystem } from "../support/system.js";
import { systemPart } from "../support/system-parts.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type SmtpAnswers, startSmtpServer } from "./support/smtp-server.js";

/** Mail through a real `sendmail -t`. */

const MAIL = [
  "To: ana@example.org, ben@example.org",
  "Subject: Today",
  "",
  "Choir",
  ".",
  "..and a line after a line with only a dot",
  "",
].join("\n");

describeWithSystem("msmtp", "msmtp as sendmail", () => {
  async function sendByMsmtp(answers: SmtpAnswers, config?: string, timeout = 20_000) {
    const home = temporaryFolder();
    const bin = join(home, "bin");
    mkdirSync(bin);
    symlinkSync(systemPart("msmtp") ?? "", join(bin, "sendmail"));
    const server = await startSmtpServer(answers);
    const account = `account default\nhost 127.0.0.1\nport ${server.port}\nfrom calctl@example.org\n`;
    writeFileSync(join(home, ".msmtprc"), config ?? account, { mode: 0o600 });
    const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home };
    const sending = sendMail(MAIL, {
      env,
      platform: "linux",
      signal: () => new AbortController().signal,
      timeout,
      folders: [],
    });
    const error = await sending.then(
      () => null,
      (reason: unknown) => reason,
    );
    return { error, mails: server.mails };
  }

  test("gets the whole message, and its recipients from the header", async () => {
    const { error, mails } = await sendByMsmtp({});
    expect(error).toBeNull();
    expect(mails).toHaveLength(1);
    expect(mails[0]?.recipients).toEqual(["ana@example.org", "ben@example.org"]);
    expect(mails[0]?.message).toContain(MAIL.slice(MAIL.indexOf("Subject")).trimEnd());
  });

  test.each<[string, SmtpAnswers, number, string]>([
    ["a recipient that is refused", { RCPT: "550 5.1.1 no such user" }, 11, "no such user"],
    [
      "a recipient that is refused for now, which msmtp does not tell apart",
      { RCPT: "450 4.2.1 try later" },
      11,
      "try later",
    ],
    ["a message that is refused", { ".": "554 5.7.1 looks like spam" }, 11, "looks like spam"],
  ])("%s is reported with the reason: exit %i", async (_, answers, exitCode, reason) => {
    const { error, mails } = await sendByMsmtp(answers);
    expect(error).toMatchObject({ exitCode, message: expect.stringContaining(reason) });
    expect(mails).toEqual([]);
  });

  // Some programs with the same exit code have a queue.
  test("a server that nobody runs is exit 9", async () => {
    const { error } = await sendByMsmtp({}, "account default\nhost 127.0.0.1\nport 9\nfrom a@example.org\n");
    expect(error).toMatchObject({ code: "outcome_unknown", message: expect.stringContaining("127.0.0.1") });
  });

  test("without a configuration is exit 10", async () => {
    expect((await sendByMsmtp({}, "nonsense\n")).error).toMatchObject({ code: "configuration" });
  });

  test("that waits for the answer to the message is exit 9 after the timeout", async () => {
    const { error } = await sendByMsmtp({ ".": null }, undefined, 1_500);
    expect(error).toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("did not end in 1.5 seconds; the email may have been sent"),
    });
  });
});
