import { childEnvironment, type Environment } from "../config/environment.js";
import { CliError, configurationError, fileProblemOf, interruptedMidway, usageError } from "../errors.js";
import { findProgram, runChildProcess } from "../system/child-process.js";
import type { TargetPlace } from "./target.js";
import { quote } from "./webhook-url.js";

/** Local part and domain of ASCII: what every mail server takes, and no header can be smuggled in with. @see RFC 5322 §3.4.1 */
const ADDRESS = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/i;

/** Longest address. @see RFC 5321 §4.5.3.1.3 */
const MAX_ADDRESS = 254;

/** More recipients than a digest has. */
const MAX_ADDRESSES = 20;

/**
 * Reads one or several addresses, separated by commas.
 * @param source where the text came from, for messages
 * @returns the value of the header `To`
 * @throws CliError usage
 */
export function parseMailAddresses(text: string, source: string): string {
  const addresses = text.split(",").map((address) => address.trim());
  const wrong = addresses.find((address) => address.length > MAX_ADDRESS || !ADDRESS.test(address));
  const hint = "write NAME@DOMAIN, several separated by commas";
  if (wrong !== undefined) throw usageError(`${source}: ${quote(wrong)} is not an email address`, hint);
  if (addresses.length > MAX_ADDRESSES) {
    throw usageError(
      `${source}: ${addresses.length} addresses are more than ${MAX_ADDRESSES}`,
      "use a mailing list",
    );
  }
  return addresses.join(", ");
}

/** The recipients and the sender of an email, as in its headers. */
export interface MailAddresses extends Pick<TargetPlace, "from" | "bcc"> {
  readonly to: string;
}

/** @param source of the text, for messages; by default the flags. @throws CliError usage */
export function parseMailFlags({ to = "", from, bcc }: TargetPlace, source?: string): MailAddresses {
  const parse = (text: string, flag: string) => parseMailAddresses(text, source ?? flag);
  if (from?.includes(",") === true) throw usageError(`${source ?? "--from"}: an email has one sender`);
  return {
    to: parse(to, "--to"),
    from: from === undefined ? undefined : parse(from, "--from"),
    bcc: bcc === undefined ? undefined : parse(bcc, "--bcc"),
  };
}

/** What decides where sendmail is looked for. */
export interface SendmailSearch {
  readonly env: Environment;
  /** As Node names it. */
  readonly platform: string;
  /** Where to look after PATH; by default where it is on most systems. */
  readonly folders?: readonly string[];
}

export interface SendmailOptions extends SendmailSearch {
  readonly signal: () => AbortSignal;
  /** Longest time in milliseconds. */
  readonly timeout: number;
}

/**
 * Hands a complete message to the local `sendmail -t`, which reads the recipients from its headers.
 * @throws CliError configuration without a sendmail, unavailable for a failure of this machine, rejected for a refusal,
 * outcome_unknown when it was killed, took too long or may try again itself, and the signal's reason
 * @see sysexits(3)
 */
export async function sendMail(message: string, options: SendmailOptions): Promise<void> {
  const { env, timeout } = options;
  const signal = options.signal();
  signal.throwIfAborted();
  const program = findSendmail(options);
  let isStarted = false;
  const result = await runChildProcess({
    program,
    // Without -i, a line with only a dot would end the message.
    args: ["-t", "-i"],
    env: childEnvironment(env),
    input: message,
    stderr: "capture",
    timeout,
    maxOutput: MAX_OUTPUT,
    signal,
    onStart: () => {
      isStarted = true;
    },
  }).catch((error: unknown) => {
    // A mail program that is stopped may have sent the message already.
    throw isStarted ? interruptedMidway(error, `an email was being sent; ${CHECK_HINT}`) : error;
  });
  switch (result.kind) {
    case "not_started":
      throw configurationError(`${program} could not be started: ${fileProblemOf(result)}`, {
        hint: INSTALL_HINT,
      });
    case "timeout":
      throw unknownOutcome(`${program} did not end in ${timeout / 1000} seconds`);
    case "output_too_large":
      throw unknownOutcome(`${program} printed more than ${MAX_OUTPUT / 1024} KiB`);
    case "exited":
      if (result.exitCode === null) throw unknownOutcome(`${program} was killed`);
      if (result.exitCode !== 0) throw refusal(program, result.exitCode, result.stderr);
  }
}

const MAX_OUTPUT = 64 * 1024;
const INSTALL_HINT = "install a mail program that has sendmail, such as msmtp-mta, dma or postfix";

/** cron's PATH often has none of them. */
const FOLDERS = ["/usr/sbin", "/usr/lib"];

/** The path of the program that mail is sent with. @throws CliError configuration when there is none */
export function findSendmail({ env, platform, folders: further }: SendmailSearch): string {
  const isWindows = platform === "win32";
  const name = isWindows ? "sendmail.exe" : "sendmail";
  // On Windows /usr would be a folder of the current drive, which every user may create.
  const usual = further ?? (isWindows ? [] : FOLDERS);
  const found = findProgram(name, env["PATH"], usual);
  if (found !== undefined) return found;
  const where = ["PATH", ...usual].join(", ");
  const hint = isWindows ? `install a mail program that has ${name}` : INSTALL_HINT;
  throw configurationError(`there is no ${name} in ${where}`, { hint });
}

/** EX_OSERR and EX_IOERR. @see sysexits(3) */
const TEMPORARY: ReadonlySet<number> = new Set([71, 74]);
/** EX_TEMPFAIL: some mail programs exit so after they have queued the email. */
const MAY_BE_QUEUED = 75;
/** EX_CONFIG. */
const BROKEN_CONFIGURATION = 78;

function refusal(program: string, exitCode: number, stderr: string): CliError {
  const reason = shorten(stderr);
  const message = `${program} ended with ${exitCode}${reason === "" ? "" : `: ${reason}`}`;
  if (exitCode === MAY_BE_QUEUED) return unknownOutcome(message);
  if (TEMPORARY.has(exitCode)) {
    return new CliError("unavailable", message, { hint: "try again later; nothing was sent" });
  }
  if (exitCode === BROKEN_CONFIGURATION) {
    return configurationError(message, { hint: "correct the configuration of the mail program" });
  }
  return new CliError("rejected", message, { hint: "send an email with it yourself to see what is wrong" });
}

/** How much of its stderr is shown, in Unicode code points. */
const MAX_REASON = 200;

function shorten(text: string): string {
  const characters = [...text.trim().replace(/\s+/g, " ")];
  return characters.length <= MAX_REASON
    ? characters.join("")
    : `${characters.slice(0, MAX_REASON - 1).join("")}…`;
}

const CHECK_HINT = "check whether it arrived";

function unknownOutcome(message: string): CliError {
  return new CliError("outcome_unknown", `${message}; the email may have been sent`, { hint: CHECK_HINT });
}
