import type { Command } from "commander";

/** What a message can be sent to, as `--as` names it. */
export const TARGET_KINDS = [
  "slack",
  "discord",
  "teams",
  "mattermost",
  "telegram",
  "googlechat",
  "ntfy",
  "json",
  "mail",
] as const;

export type TargetKind = (typeof TARGET_KINDS)[number];

/** What is sent to a target, or given to `sendmail -t`. */
export interface Payload {
  readonly contentType: string;
  /** Beside the content type. Values are ASCII. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parameters of the URL. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The same message with less of it, for a target whose limits are not documented and that has refused this one. */
  readonly smaller?: () => Payload;
}

/** Says the encoding, since some services otherwise take it for another one. @see RFC 8259 §8.1 */
export function jsonPayload(value: unknown): Payload {
  return { contentType: "application/json; charset=utf-8", headers: {}, body: JSON.stringify(value) };
}

/** Where messages go beside the URL, as flags and saved targets have it. */
export interface TargetPlace {
  /** Of telegram: an id, or `@` and the name of a channel. */
  readonly chat?: string | undefined;
  /** Of telegram: the id of a topic of the chat. */
  readonly topic?: string | undefined;
  /** Of mail: addresses separated by commas; without `from` the mail program says whom it is from. */
  readonly to?: string | undefined;
  readonly from?: string | undefined;
  readonly bcc?: string | undefined;
}

/** What messages have beside their events. */
export interface MessageExtras {
  /** Whom they notify, as the target calls them: never from the text of an event. */
  readonly mentions?: readonly string[] | undefined;
  /** Whether iCalendar is attached to an email. */
  readonly ics?: boolean | undefined;
}

export interface TargetRequest extends Pick<TargetPlace, "chat" | "topic">, MessageExtras {
  /** A saved name; with `as: "mail"` also addresses; undefined for the webhook of the environment. */
  readonly to?: string | undefined;
  /** The flag that names it, for messages; `--to` by default. */
  readonly flag?: "--to" | "--post";
  /** What it takes. Required without a saved name; with one, it must agree. */
  readonly as?: TargetKind | undefined;
}

/** What a message needs of its target to be rendered. */
export interface RenderOptions extends TargetPlace, MessageExtras {
  /** When it is sent, for mail: milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Where messages go. */
export interface Target extends TargetPlace, MessageExtras {
  readonly kind: TargetKind;
  /** As messages for the user name it; never a secret. */
  readonly name: string;
  /** The same for the same target in every run, and not a secret: for the keys of what is sent once. */
  readonly id: string;
  /**
   * Resolves once the message was accepted. A failure says whether it may have been sent all the same: outcome_unknown (9),
   * and interrupted with `mayHaveSucceeded`; after any other it certainly was not.
   * @throws CliError forbidden, rate_limited, unavailable, outcome_unknown, configuration, rejected, interrupted
   */
  deliver(payload: Payload): Promise<void>;
  /**
   * Checks what can be checked without sending: that something listens, or that there is a mail program. Nothing with
   * `--dry-run`.
   * @throws CliError unavailable, configuration
   */
  check(): Promise<void>;
}

/** The flags that choose where messages go, as typed. */
export interface TargetFlags {
  readonly as?: TargetKind;
  readonly chat?: string;
  readonly topic?: string;
}

/** Adds `--as`, `--chat` and `--topic`. */
export function addTargetFlags(command: Command): void {
  command
    .addOption(
      command
        .createOption("--as <kind>", "mail, or the message format of the webhook in the environment")
        .choices(TARGET_KINDS),
    )
    .option("--chat <id>", "for telegram: the chat (default: that of the target)")
    .option("--topic <id>", "for telegram: the topic of the chat (default: that of the target)");
}
