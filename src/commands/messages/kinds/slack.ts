import { jsonPayload, type Payload } from "../../../delivery/target.js";
import { ZERO_WIDTH_SPACE } from "../../../output/sanitize.js";
import { drawFitting, type Layout } from "../layout.js";
import type { LinkButton } from "../links.js";
import { escapeEntities, joinTexts, type Markup, markBlock, replaceMarks } from "../markup.js";
import type { Message } from "../message.js";
import { cutText } from "../text-length.js";

/**
 * Block Kit, counted in UTF-16 units, since the documentation says only "characters". The total is not documented: a
 * little above it messages are refused.
 * @see https://docs.slack.dev/reference/block-kit/blocks
 */
export const SLACK_LIMITS = {
  unit: "UTF-16 units",
  header: 150,
  section: 3_000,
  blocks: 50,
  /** Below which all texts together are kept. */
  total: 12_000,
} as const;

/** What Slack shows as an emoji, also in plain text: `:tada:`, not `:30+10:` of a time. Names may have letters of any script. */
const SHORTCODE = /:(?!(?<=\d:)\d)(?=[\p{L}\p{M}\p{N}_+'’-]+:)/gu;

function keepShortcodes(text: string): string {
  return text.replace(SHORTCODE, `:${ZERO_WIDTH_SPACE}`);
}

/** Slack's mrkdwn. @see https://docs.slack.dev/messaging/formatting-message-text */
const MRKDWN: Markup = {
  literal: (text) =>
    // At the start of a line `>` is a quotation, also when it is escaped.
    replaceMarks(escapeEntities(keepShortcodes(text).replace(/^>/, "›"))),
  strong: (text) => `*${text}*`,
  struck: (text) => `~${text}~`,
  link: (text, url) => `<${escapeEntities(url)}|${MRKDWN.literal(text)}>`,
  bullet: "• ",
  indent: "    ",
};

interface SlackText {
  readonly type: "plain_text" | "mrkdwn";
  readonly text: string;
  /** Leaves URLs and names alone that are not marked. */
  readonly verbatim?: true;
}

type SlackBlock =
  | { readonly type: "header" | "section"; readonly text: SlackText }
  | { readonly type: "context"; readonly elements: readonly SlackText[] }
  | { readonly type: "actions"; readonly elements: readonly ReturnType<typeof drawButton>[] };

interface SlackMessage {
  /** What notifications show. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

/** Blocks of Block Kit; with half as much text where Slack refuses these. */
export function renderSlack(message: Message): Payload {
  const drawn = drawWithin(message, SLACK_LIMITS.total);
  return {
    ...jsonPayload(drawn),
    smaller: () => jsonPayload(drawWithin(message, totalLength(drawn) / 2)),
  };
}

/** @param total below which all texts together are kept */
function drawWithin(message: Message, total: number): SlackMessage {
  return drawFitting(message, {
    draw: drawMessage,
    fits: (drawn) => hasFittingBlocks(drawn) && totalLength(drawn) < total,
  });
}

function drawMessage({ title, mentions, buttons, blocks, more, note }: Layout): SlackMessage {
  const { unit, section, header } = SLACK_LIMITS;
  const limit = { max: section, unit };
  const days = blocks.flatMap((block) => markBlock(block, MRKDWN, limit));
  const texts = days.length <= SLACK_LIMITS.blocks - 4 ? days : joinTexts(days, "\n\n", limit);
  const notes = [more, note].filter((text) => text !== null).map(MRKDWN.literal);
  const named = mentions.map(markMention).join(" ");
  return {
    text: [MRKDWN.literal(title), ...(named === "" ? [] : [named])].join(" "),
    blocks: [
      { type: "header", text: { type: "plain_text", text: cutText(keepShortcodes(title), header, unit) } },
      ...(named === "" ? [] : [{ type: "section" as const, text: mrkdwn(named) }]),
      ...texts.map((text) => ({ type: "section" as const, text: mrkdwn(text) })),
      ...(buttons.length === 0 ? [] : [{ type: "actions" as const, elements: buttons.map(drawButton) }]),
      ...(notes.length === 0 ? [] : [{ type: "context" as const, elements: notes.map(mrkdwn) }]),
    ],
  };
}

/** A header has no mentions, so they have a section of their own. */
function markMention(who: string): string {
  return who.startsWith("@") ? `<!${who.slice(1)}>` : `<@${who}>`;
}

function drawButton({ text, url }: LinkButton) {
  return { type: "button", text: { type: "plain_text" as const, text }, url };
}

function mrkdwn(text: string): SlackText {
  return { type: "mrkdwn", text, verbatim: true };
}

function hasFittingBlocks({ blocks }: SlackMessage): boolean {
  const sections = blocks.flatMap((block) => (block.type === "section" ? block.text.text.length : []));
  return blocks.length <= SLACK_LIMITS.blocks && sections.every((length) => length <= SLACK_LIMITS.section);
}

function totalLength({ text, blocks }: SlackMessage): number {
  return text.length + blocks.reduce((sum, block) => sum + lengthOf(block), 0);
}

function lengthOf(block: SlackBlock): number {
  if (block.type === "actions") return block.elements.reduce((sum, { text }) => sum + text.text.length, 0);
  const texts = block.type === "context" ? block.elements : [block.text];
  return texts.reduce((sum, { text }) => sum + text.length, 0);
}
