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
