/** What a message can be sent to, as `--as` names it. */
export const TARGET_KINDS = [
  "slack",
  "slack-bot",
  "discord",
  "teams",
  "mattermost",
  "telegram",
  "googlechat",
  "ntfy",
  "json",
  "mail",
] as const;

/** Those whose messages can be changed in place. */
export const UPDATABLE_KINDS: ReadonlySet<string> = new Set(["discord", "telegram", "slack-bot"]);

export type TargetKind = (typeof TARGET_KINDS)[number];
