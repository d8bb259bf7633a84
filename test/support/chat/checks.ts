import type { KnownBlock } from "@slack/types";
import { AllowedMentionsTypes, type RESTPostAPIWebhookWithTokenJSONBody } from "discord-api-types/v10";
import * as v from "valibot";
import { findCardProblems } from "./adaptive-card.js";
import { decodeWords } from "./encoded-words.js";
import type { ChatKind } from "./services.js";
import { readTelegramHtml } from "./telegram-html.js";

/**
 * Checks payloads as the platforms document them: shapes, limits, and what they refuse. Limits are written out here,
 * independent of the program's own. What the shapes of Slack and Discord allow is assignable to the types that these publish,
 * or `tsc` fails; a card of Teams is also read by the library that its vendor publishes.
 */

/** What was sent. Names of headers are lowercase. */
export interface SentPayload {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a service would refuse, or show in another way than is meant; empty if it takes the message. */
export function checkPayload(kind: ChatKind, payload: SentPayload): readonly string[] {
  if (kind === "ntfy") return checkNtfy(payload);
  if (!/^application\/json(?:; charset=utf-8)?$/.test(payload.contentType)) return ["not sent as JSON"];
  let value: unknown;
  try {
    value = JSON.parse(payload.body);
  } catch {
    return ["the body is not JSON"];
  }
  if (JSON.stringify(value, halvesMarked).includes(HALF)) return ["a character is cut in half"];
  const result = v.safeParse(SCHEMAS[kind], value);
  const problems = (result.issues ?? []).map((issue) => `${v.getDotPath(issue) ?? "body"}: ${issue.message}`);
  if (kind === "teams") {
    if (Buffer.byteLength(payload.body) > 28_000) problems.push("more than 28 KB");
    if (result.success) problems.push(...findCardProblems(v.parse(Teams, value).attachments[0].content));
  }
  return problems;
}

const HALF = "a half of a character";

function halvesMarked(_: string, member: unknown): unknown {
  return typeof member === "string" && /\p{Cs}/u.test(member) ? HALF : member;
}

function max(length: number): v.MaxLengthAction<string, number, undefined> {
  return v.maxLength(length);
}

/** Documented as "characters": no way of counting gives more than UTF-16 does. */
function text(length: number) {
  return v.pipe(v.string(), v.minLength(1), max(length));
}

/** Opens a page; a platform shows the text as it is. */
const ButtonUrl = v.pipe(v.string(), v.regex(/^https?:\/\/[\x21-\x7e]+$/), max(512));

/** Telegram and Discord refuse other hosts than an IPv4 address and names that a domain may have. */
const PublicButtonUrl = v.pipe(
  ButtonUrl,
  v.regex(
    /^https?:\/\/(?=[^/?#:]{1,254}(?:[/?#:]|$))(?:(?!-)[a-z\d-]{1,63}(?<!-)\.)+(?!-)[a-z\d-]{1,63}(?<!-)\.?(?::\d+)?(?:[/?#]|$)/,
  ),
);

const SlackText = v.variant("type", [
  v.strictObject({ type: v.literal("plain_text"), text: text(3_000), emoji: v.exactOptional(v.boolean()) }),
  v.strictObject({ type: v.literal("mrkdwn"), text: text(3_000), verbatim: v.exactOptional(v.boolean()) }),
]);

const SLACK_CONTENT = {
  text: v.pipe(v.string(), v.minLength(1)),
  blocks: v.pipe(
    v.array(
      v.variant("type", [
        v.strictObject({
          type: v.literal("header"),
          text: v.strictObject({ type: v.literal("plain_text"), text: text(150) }),
        }),
        v.strictObject({ type: v.literal("section"), text: SlackText }),
        v.strictObject({
          type: v.literal("actions"),
          elements: v.pipe(
            v.array(
              v.strictObject({
                type: v.literal("button"),
                text: v.strictObject({ type: v.literal("plain_text"), text: text(75) }),
                url: ButtonUrl,
              }),
            ),
            v.minLength(1),
            v.maxLength(25),
          ),
        }),
        v.strictObject({
          type: v.literal("context"),
          elements: v.pipe(v.array(SlackText), v.minLength(1), v.maxLength(10)),
        }),
      ]),
    ),
    v.minLength(1),
    v.maxLength(50),
  ),
};

function isBelowTotal(message: unknown): boolean {
  return stringsIn(message, "text").join("").length < 12_000;
}

const TOO_LONG = "12,000 characters or more";

export const Slack = v.pipe(
  v.strictObject(SLACK_CONTENT),
  v.check((message) => isBelowTotal(message), TOO_LONG),
) satisfies v.GenericSchema<unknown, { readonly text: string; readonly blocks: KnownBlock[] }>;

function hasBrokenLink(text: string): boolean {
  return [...text.matchAll(/(?<!\\)\[((?:\\.|[^\\\]])*)\]\(/g)].some(([, label = ""]) =>
    /\\|:\/\//.test(label),
  );
}

const Embed = v.strictObject({
  title: v.exactOptional(text(256)),
  description: v.exactOptional(
    v.pipe(
      text(4_096),
      v.check(
        (text) => !hasBrokenLink(text),
        "the text of a link has escapes or a URL, and is shown as it is",
      ),
    ),
  ),
  color: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffffff))),
  footer: v.exactOptional(v.strictObject({ text: text(2_048) })),
});

export const Discord = v.pipe(
  v.strictObject({
    content: text(2_000),
    embeds: v.pipe(v.array(Embed), v.maxLength(10)),
    components: v.exactOptional(
      v.tuple([
        v.strictObject({
          type: v.literal(1),
          components: v.pipe(
            v.array(
              v.strictObject({
                type: v.literal(2),
                style: v.literal(5),
                label: text(80),
                url: PublicButtonUrl,
              }),
            ),
            v.minLength(1),
            v.maxLength(5),
          ),
        }),
      ]),
    ),
    allowed_mentions: v.strictObject({
      parse: v.pipe(v.array(v.literal(AllowedMentionsTypes.Everyone)), v.maxLength(1)),
      users: v.exactOptional(v.pipe(v.array(v.pipe(v.string(), v.regex(/^\d{15,21}$/))), v.maxLength(100))),
    }),
  }),
  v.check(
    ({ embeds }) =>
      [...stringsIn(embeds, "title"), ...stringsIn(embeds, "description"), ...stringsIn(embeds, "text")].join(
        "",
      ).length <= 6_000,
    "more than 6,000 characters in all embeds",
  ),
) satisfies v.GenericSchema<unknown, RESTPostAPIWebhookWithTokenJSONBody>;

const Link = v.pipe(v.string(), v.regex(/^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/));

export const TextRun = v.union([
  v.pipe(v.string(), v.minLength(1)),
  v.strictObject({
    type: v.literal("TextRun"),
    text: v.pipe(v.string(), v.minLength(1)),
    size: v.optional(v.picklist(["Small", "Default", "Medium", "Large", "ExtraLarge"])),
    weight: v.optional(v.picklist(["Lighter", "Default", "Bolder"])),
    isSubtle: v.optional(v.boolean()),
    strikethrough: v.optional(v.boolean()),
  }),
]);

const Mention = v.pipe(
  v.strictObject({
    type: v.literal("mention"),
    text: v.string(),
    mentioned: v.strictObject({ id: v.string(), name: v.string() }),
  }),
  v.check(({ text, mentioned }) => text === `<at>${mentioned.name}</at>`, "is not the text of the mention"),
);

/** @see https://adaptivecards.io/schemas/1.4.0/adaptive-card.json */
export const Teams = v.strictObject({
  type: v.literal("message"),
  attachments: v.tuple([
    v.strictObject({
      contentType: v.literal("application/vnd.microsoft.card.adaptive"),
      contentUrl: v.null(),
      content: v.strictObject({
        $schema: v.literal("http://adaptivecards.io/schemas/adaptive-card.json"),
        type: v.literal("AdaptiveCard"),
        version: v.literal("1.4"),
        msteams: v.optional(
          v.strictObject({ width: v.literal("Full"), entities: v.optional(v.array(Mention)) }),
        ),
        body: v.pipe(
          v.array(
            v.variant("type", [
              v.strictObject({
                type: v.literal("TextBlock"),
                spacing: v.literal("None"),
                text: v.pipe(
                  v.string(),
                  v.regex(
                    /^(?:\[[^[\]<>\\*~`]+\]\((?:https?:\/\/|mailto:)[\x21-\x7e]+\)|(?:(?:^| )<at>[\w.@-]+<\/at>)+)$/,
                  ),
                ),
              }),
              v.strictObject({
                type: v.literal("RichTextBlock"),
                spacing: v.optional(
                  v.picklist(["None", "Small", "Default", "Medium", "Large", "ExtraLarge"]),
                ),
                inlines: v.pipe(v.array(TextRun), v.minLength(1)),
              }),
            ]),
          ),
          v.minLength(1),
        ),
        actions: v.optional(
          v.pipe(
            v.array(v.strictObject({ type: v.literal("Action.OpenUrl"), title: text(100), url: ButtonUrl })),
            v.minLength(1),
            v.maxLength(6),
          ),
        ),
      }),
    }),
  ]),
});

export const Mattermost = v.strictObject({
  text: v.pipe(
    v.string(),
    v.minLength(1),
    v.check((text) => [...text].length <= 16_383, "more than 16,383 code points"),
  ),
});

export const Telegram = v.strictObject({
  message_thread_id: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  chat_id: v.union([v.pipe(v.string(), v.regex(/^(?:-?\d+|@\w+)$/)), v.number()]),
  text: v.pipe(
    v.string(),
    v.check((text) => readTelegramHtml(text) !== null, "can't parse entities"),
    v.check((text) => (readTelegramHtml(text)?.text.length ?? 0) <= 4_096, "message is too long"),
    v.check((text) => (readTelegramHtml(text)?.text.trim() ?? "") !== "", "message text is empty"),
  ),
  parse_mode: v.literal("HTML"),
  link_preview_options: v.strictObject({ is_disabled: v.literal(true) }),
  reply_markup: v.optional(
    v.strictObject({
      inline_keyboard: v.array(v.tuple([v.strictObject({ text: text(64), url: PublicButtonUrl })])),
    }),
  ),
});

export const GoogleChat = v.strictObject({ text: text(4_000) });

const Nullable = v.nullable(v.string());

/** The program's own schema, as docs/messages.md has it. */
const Json = v.strictObject({
  version: v.literal(1),
  title: v.pipe(v.string(), v.minLength(1)),
  note: Nullable,
  text: Nullable,
  days: v.array(
    v.strictObject({
      date: v.nullable(v.pipe(v.string(), v.isoDate())),
      heading: v.string(),
      entries: v.array(
        v.strictObject({
          change: v.nullable(v.picklist(["added", "changed", "removed"])),
          time: v.string(),
          notes: v.array(v.string()),
          url: v.nullable(Link),
          location: v.string(),
          calendar: v.string(),
          attendees: v.array(v.string()),
          event: v.looseObject({ id: v.string(), calendar_id: v.string(), title: Nullable }),
        }),
      ),
    }),
  ),
});

const SCHEMAS = {
  slack: Slack,
  discord: Discord,
  teams: Teams,
  mattermost: Mattermost,
  telegram: Telegram,
  googlechat: GoogleChat,
  json: Json,
} as const;

/** @see https://docs.ntfy.sh/publish/#using-a-json-array */
export const NtfyActions = v.pipe(
  v.string(),
  v.regex(/^[\x20-\x7e]*$/),
  v.parseJson(),
  v.pipe(
    v.array(v.strictObject({ action: v.literal("view"), label: text(100), url: ButtonUrl })),
    v.minLength(1),
    v.maxLength(3),
  ),
);

/** Title in a header, text as the body, which is shown as it is. */
function checkNtfy({ contentType, headers, body }: SentPayload): readonly string[] {
  const title = headers["title"] ?? "";
  return [
    ...(contentType === "text/plain; charset=utf-8" ? [] : ["not plain text"]),
    ...(/^[\x20-\x7e]*$/.test(title) ? [] : ["the title is not ASCII"]),
    ...(decodeWords(title) === "" ? ["no title"] : []),
    ...(Buffer.byteLength(decodeWords(title)) <= 250 ? [] : ["the title is longer than 250 bytes"]),
    ...(body === "" ? ["no text"] : []),
    ...(headers["actions"] === undefined || v.is(NtfyActions, headers["actions"]) ? [] : ["wrong actions"]),
    ...(headers["click"] === undefined || v.is(ButtonUrl, headers["click"]) ? [] : ["wrong click"]),
    ...(Buffer.byteLength(body) <= 3_800 ? [] : ["the text is longer than 3,800 bytes"]),
    ...(headers["markdown"] === undefined ? [] : ["would be read as Markdown"]),
  ];
}

/** Every text under a key, at any depth. */
function stringsIn(value: unknown, key: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === key && typeof member === "string" ? [member] : stringsIn(member, key),
  );
}
