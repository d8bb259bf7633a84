import { jsonPayload, type Payload } from "../../../delivery/target.js";
import { ZERO_WIDTH_SPACE } from "../../../output/sanitize.js";
import { type Block, drawFitting, type Item, type Layout, type Line, type Segment } from "../layout.js";
import { replaceMarks } from "../markup.js";
import type { Message } from "../message.js";
import { textLength } from "../text-length.js";

/** Bytes of the whole request: 28 KB, of which there are two kinds. */
export const TEAMS_LIMITS = { unit: "bytes", request: 28_000 } as const;

/** Text that has no markup, unlike that of a TextBlock. A string is a run without anything else. */
type TextRun =
  | string
  | {
      readonly type: "TextRun";
      readonly text: string;
      readonly size?: "Large";
      readonly weight?: "Bolder";
      readonly isSubtle?: true;
      readonly strikethrough?: true;
    };

/** Its text is Markdown, which only links and mentions are: on some clients text runs have none, and escapes are shown. */
interface TextBlock {
  readonly type: "TextBlock";
  readonly spacing: "None";
  readonly text: string;
}

interface RichTextBlock {
  readonly type: "RichTextBlock";
  readonly spacing?: "None" | "Small" | "Medium";
  readonly inlines: readonly TextRun[];
}

/**
 * An Adaptive Card in the envelope that the workflows take.
 * @see https://adaptivecards.io/explorer/RichTextBlock.html
 */
export function renderTeams(message: Message): Payload {
  return drawFitting(message, {
    draw: (layout) => jsonPayload(drawMessage(layout)),
    fits: ({ body }) => textLength(body, TEAMS_LIMITS.unit) <= TEAMS_LIMITS.request,
  });
}

function drawMessage({ title, mentions, buttons, blocks, more, note }: Layout) {
  const ends = [more, note].filter((text) => text !== null);
  const body: (RichTextBlock | TextBlock)[] = [
    { type: "RichTextBlock", inlines: [{ type: "TextRun", text: title, size: "Large", weight: "Bolder" }] },
    ...(mentions.length === 0 ? [] : [textBlock(mentions.map(markMention).join(" "))]),
    ...blocks.flatMap(blockParagraphs),
    ...ends.map((text) => paragraph([{ type: "TextRun" as const, text, isSubtle: true as const }])),
  ];
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    msteams: { width: "Full", ...(mentions.length > 0 && { entities: mentions.map(mentionEntity) }) },
    body,
    ...(buttons.length > 0 && {
      actions: buttons.map(({ text, url }) => ({ type: "Action.OpenUrl", title: text, url })),
    }),
  };
  const attachment = {
    contentType: "application/vnd.microsoft.card.adaptive",
    contentUrl: null,
    content,
  };
  return { type: "message", attachments: [attachment] };
}

function paragraph(inlines: readonly TextRun[], spacing?: RichTextBlock["spacing"]): RichTextBlock {
  return { type: "RichTextBlock", ...(spacing !== undefined && { spacing }), inlines };
}

function blockParagraphs({ heading, items }: Block): (RichTextBlock | TextBlock)[] {
  const first: TextRun[] = heading === null ? [] : [{ type: "TextRun", text: heading, weight: "Bolder" }];
  return [...(first.length === 0 ? [] : [paragraph(first, "Medium")]), ...items.flatMap(itemParagraphs)];
}

/** Details and links are below their event, without a gap. */
function itemParagraphs({ lines }: Item): (RichTextBlock | TextBlock)[] {
  const paragraphs = lines.map((line, index) => paragraph(textRuns(line), index === 0 ? "Small" : "None"));
  return [...paragraphs, ...lines.flat().flatMap(linkBelow)];
}

/** Named after the event. A URL in text is named by its host, since it would be a link within a link. */
function linkBelow({ text, url }: Segment): TextBlock[] {
  if (url === undefined || url === null) return [];
  const name = text.includes("://") ? new URL(url).host : text;
  return [textBlock(`[${linkText(name)}](${url})`)];
}

function textBlock(text: string): TextBlock {
  return { type: "TextBlock", spacing: "None", text };
}

/** @see https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format#mention-support-within-adaptive-cards */
function mentionEntity(id: string) {
  return { type: "mention", text: markMention(id), mentioned: { id, name: id } };
}

/** The same text as its entity has. */
function markMention(id: string): string {
  return `<at>${id}</at>`;
}

/** Marks of Markdown, entities and `{{DATE(…)}}`, whose escapes some clients show. */
function linkText(text: string): string {
  return replaceMarks(text)
    .replace(/[[\]<>\\]/g, (mark) => LOOKALIKES[mark] ?? "")
    .replace(/&(?=#?\w+;)|\{(?=\{)/g, `$&${ZERO_WIDTH_SPACE}`);
}

const LOOKALIKES: Readonly<Record<string, string>> = {
  "[": "(",
  "]": ")",
  "<": "‹",
  ">": "›",
  "\\": "∖",
};

function textRuns(line: Line): readonly TextRun[] {
  return line.every(({ text }) => text === "") ? ["\u00a0"] : line.map(textRun);
}

function textRun({ text, emphasis }: Segment): TextRun {
  if (emphasis === undefined) return text;
  return {
    type: "TextRun",
    text,
    ...(emphasis === "strong" && { weight: "Bolder" }),
    ...(emphasis === "struck" && { strikethrough: true }),
  };
}
