import { drawFitting, type Layout } from "../layout.js";
import { escapeEntities, joinTexts, type Markup, markBlock, replaceMarks } from "../markup.js";
import type { Message } from "../message.js";
import { jsonPayload, type Payload } from "../payload.js";
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

/** Slack's mrkdwn. @see https://docs.slack.dev/messaging/formatting-message-text */
const MRKDWN: Markup = {
  literal: (text) =>
    // At the start of a line `>` is a quotation, also when it is escaped.
    replaceMarks(escapeEntities(text.replace(/^>/, "›"))),
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

interface SlackBlock {
  readonly type: "header" | "section" | "context";
  readonly text?: SlackText;
  readonly elements?: readonly SlackText[];
}

interface SlackMessage {
  /** What notifications show. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

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

function drawMessage({ title, blocks, more, note }: Layout): SlackMessage {
  const { unit, section, header } = SLACK_LIMITS;
  const limit = { max: section, unit };
  const days = blocks.flatMap((block) => markBlock(block, MRKDWN, limit));
  const texts = days.length <= SLACK_LIMITS.blocks - 2 ? days : joinTexts(days, "\n\n", limit);
  const notes = [more, note].filter((text) => text !== null).map(MRKDWN.literal);
  return {
    text: MRKDWN.literal(title),
    blocks: [
      { type: "header", text: { type: "plain_text", text: cutText(title, header, unit) } },
      ...texts.map((text) => ({ type: "section" as const, text: mrkdwn(text) })),
      ...(notes.length === 0 ? [] : [{ type: "context" as const, elements: notes.map(mrkdwn) }]),
    ],
  };
}

function mrkdwn(text: string): SlackText {
  return { type: "mrkdwn", text, verbatim: true };
}

function hasFittingBlocks({ blocks }: SlackMessage): boolean {
  const sections = blocks.flatMap((block) =>
    block.type === "section" ? (block.text?.text.length ?? 0) : [],
  );
  return blocks.length <= SLACK_LIMITS.blocks && sections.every((length) => length <= SLACK_LIMITS.section);
}

function totalLength({ text, blocks }: SlackMessage): number {
  return text.length + blocks.reduce((sum, block) => sum + lengthOf(block), 0);
}

function lengthOf({ text, elements = [] }: SlackBlock): number {
  return [...elements, ...(text === undefined ? [] : [text])].reduce(
    (sum, part) => sum + part.text.length,
    0,
  );
}
