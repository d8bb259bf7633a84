import { usageError } from "../errors.js";
import type { Message } from "./message.js";
import type { Payload } from "./payload.js";
import type { TargetKind } from "./target-kinds.js";

/** Where one message goes, beyond what the target's URL says. */
export interface Destination {
  /** Of telegram: an id, or `@` and the name of a channel. */
  readonly chat?: string | undefined;
  /** Of mail: an address. */
  readonly to?: string | undefined;
  /** When it is sent, for mail: milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * The message as a target takes it, within its limits. Loads only what the target needs.
 * @throws CliError usage when a target needs a chat or an address and there is none
 */
export async function renderMessage(
  kind: TargetKind,
  message: Message,
  { chat, to, now }: Destination,
): Promise<Payload> {
  switch (kind) {
    case "slack":
      return (await import("./targets/slack.js")).renderSlack(message);
    case "discord":
      return (await import("./targets/discord.js")).renderDiscord(message);
    case "teams":
      return (await import("./targets/teams.js")).renderTeams(message);
    case "mattermost":
      return (await import("./targets/mattermost.js")).renderMattermost(message);
    case "telegram":
      if (chat === undefined) throw usageError("telegram needs a chat", "add --chat ID");
      return (await import("./targets/telegram.js")).renderTelegram(message, chat);
    case "googlechat":
      return (await import("./targets/google-chat.js")).renderGoogleChat(message);
    case "ntfy":
      return (await import("./targets/ntfy.js")).renderNtfy(message);
    case "json":
      return (await import("./targets/json.js")).renderJson(message);
    case "mail":
      if (to === undefined) throw usageError("mail needs an address", "add --to ADDRESS");
      return (await import("./targets/mail.js")).renderMail(message, { to, now });
  }
}
