import type { Payload, RenderOptions, Target, TargetKind } from "../../delivery/target.js";
import { usageError } from "../../errors.js";
import type { OutgoingMessage } from "../../state/sent.js";
import type { Message } from "./message.js";

/**
 * The message as a target takes it, within its limits. Loads only what the target needs.
 * @throws CliError usage when a target needs a chat or an address and there is none
 */
export async function renderMessage(
  kind: TargetKind,
  message: Message,
  options: RenderOptions,
): Promise<Payload> {
  const { chat, to, mentions } = options;
  const complete = { ...message, mentions };
  switch (kind) {
    case "slack":
      return (await import("./kinds/slack.js")).renderSlack(complete);
    case "discord":
      return (await import("./kinds/discord.js")).renderDiscord(complete);
    case "teams":
      return (await import("./kinds/teams.js")).renderTeams(complete);
    case "mattermost":
      return (await import("./kinds/mattermost.js")).renderMattermost(complete);
    case "telegram":
      if (chat === undefined) throw usageError("telegram needs a chat", "add --chat ID");
      return (await import("./kinds/telegram.js")).renderTelegram(complete, options);
    case "googlechat":
      return (await import("./kinds/google-chat.js")).renderGoogleChat(complete);
    case "ntfy":
      return (await import("./kinds/ntfy.js")).renderNtfy(complete);
    case "json":
      return (await import("./kinds/json.js")).renderJson(complete);
    case "mail":
      if (to === undefined) throw usageError("mail needs an address", "add --to ADDRESS");
      return (await import("./kinds/mail.js")).renderMail(complete, options);
  }
}

/** Makes a message for a target, as it is sent once. @throws CliError usage, as `renderMessage` */
export async function composeOutgoing(
  message: Message,
  target: Target,
  { command, now }: Pick<OutgoingMessage, "command"> & Pick<RenderOptions, "now">,
): Promise<OutgoingMessage & { readonly payload: Payload }> {
  const payload = await renderMessage(target.kind, message, { ...target, now });
  const send = () => target.deliver(payload);
  return { command, target: target.name, what: message.title, payload, send };
}
