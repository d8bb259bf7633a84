import { jsonPayload, type Payload } from "../../../delivery/target.js";
import { escapeMarkdown } from "../../../output/formats/markdown.js";
import { type Block, drawFitting, type Layout } from "../layout.js";
import { type LinkButton, linkTarget } from "../links.js";
import { joinTexts, type Markup, markBlock, markCut } from "../markup.js";
import type { Message } from "../message.js";

/**
 * Counted in UTF-16 units, since the documentation says only "characters".
 * @see https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
export const DISCORD_LIMITS = {
  unit: "UTF-16 units",
  content: 2_000,
  embeds: 10,
  title: 256,
  description: 4_096,
  /** Title, description and footer over all embeds. */
  total: 6_000,
} as const;

/** What Discord shows as an emoji: `:tada:`, not `:30:` of a time. Underscores in a name are escaped. */
const SHORTCODE = /:(?!(?<=\d:)[\d+-]+:)(?=[\w+\\-]+:)/g;

/** Text that Discord shows as it is. */
function escapeText(text: string): string {
  return escapeMarkdown(text).replace(SHORTCODE, "\\:");
}

const DISCORD_MARKDOWN: Markup = {
  literal: escapeText,
  strong: (text) => `**${text}**`,
  struck: (text) => `~~${text}~~`,
  link: markLink,
  bullet: "- ",
  indent: "  ",
};

/** A link's text has no escapes, and must not look like a URL: such text stands before the link, or is the URL. */
function markLink(text: string, url: string): string {
  const literal = escapeText(text);
  if (literal === text) return `[${text}](${url})`;
  return linkTarget(text) === url ? `<${url}>` : `${literal} ([link](${url}))`;
}

interface Embed {
  readonly title?: string;
  readonly description?: string;
  /** A number: 0xrrggbb. */
  readonly color?: number;
  /** Without markup. */
  readonly footer?: { readonly text: string };
}

interface DiscordMessage {
  readonly content: string;
  readonly embeds: readonly Embed[];
  readonly components?: readonly ReturnType<typeof actionRow>[];
  /** Those whom `content` names, and nobody else. `everyone` stands for `@here`, too. */
  readonly allowed_mentions: {
    readonly parse: readonly "everyone"[];
    readonly users?: readonly string[];
  };
}

/** Each day is an embed, in the color of its first label. */
export function renderDiscord(message: Message): Payload {
  const drawn = drawFitting(message, { draw: drawMessage, fits });
  // Without the parameter the webhook of a channel ignores them.
  const query = drawn.components === undefined ? {} : { query: { with_components: "true" } };
  return { ...jsonPayload(drawn), ...query };
}

function drawMessage({ title, mentions, buttons, blocks, more, note }: Layout): DiscordMessage {
  const { content, unit } = DISCORD_LIMITS;
  const notes = [more, note].filter((text) => text !== null).join(" · ");
  const footer = notes === "" ? [] : [{ footer: { text: notes } }];
  const days = blocks.flatMap(dayEmbeds);
  const embeds = days.length > DISCORD_LIMITS.embeds ? joinedEmbeds(blocks) : days;
  const last = embeds.at(-1);
  const users = mentions.filter((who) => !who.startsWith("@"));
  const named = mentions.map((who) => (who.startsWith("@") ? ` ${who}` : ` <@${who}>`)).join("");
  return {
    content: `**${markCut(title, DISCORD_MARKDOWN, { max: content - 4 - named.length, unit })}**${named}`,
    embeds: last === undefined ? footer : [...embeds.slice(0, -1), { ...last, ...footer[0] }],
    ...(buttons.length > 0 && { components: [actionRow(buttons)] }),
    allowed_mentions: {
      parse: users.length === mentions.length ? [] : ["everyone"],
      ...(users.length > 0 && { users }),
    },
  };
}

/** The types of a row and of a button, and the style of a link. @see https://discord.com/developers/docs/components/reference */
function actionRow(buttons: readonly LinkButton[]) {
  return { type: 1, components: buttons.map(({ text, url }) => ({ type: 2, style: 5, label: text, url })) };
}

function dayEmbeds({ heading, color, ...block }: Block): Embed[] {
  const { description: max, title, unit } = DISCORD_LIMITS;
  const texts = markBlock({ ...block, heading: null, color: null }, DISCORD_MARKDOWN, { max, unit });
  return texts.map((description, index) => ({
    ...(index === 0 &&
      heading !== null && { title: markCut(heading, DISCORD_MARKDOWN, { max: title, unit }) }),
    description,
    ...(color !== null && { color: Number.parseInt(color.slice(1), 16) }),
  }));
}

/** Several days in each embed, for more days than embeds. */
function joinedEmbeds(blocks: readonly Block[]): Embed[] {
  const { description: max, unit } = DISCORD_LIMITS;
  const texts = blocks.flatMap((block) => markBlock(block, DISCORD_MARKDOWN, { max, unit }));
  return joinTexts(texts, "\n\n", { max, unit }).map((description) => ({ description }));
}

function fits({ embeds }: DiscordMessage): boolean {
  const { embeds: maxEmbeds, description: max, total } = DISCORD_LIMITS;
  const lengths = embeds.map(({ title = "", description = "", footer }) => {
    return title.length + description.length + (footer?.text.length ?? 0);
  });
  return (
    embeds.length <= maxEmbeds &&
    embeds.every(({ description = "" }) => description.length <= max) &&
    lengths.reduce((sum, length) => sum + length, 0) <= total
  );
}
