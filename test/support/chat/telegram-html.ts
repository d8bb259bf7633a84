/** A text and the parts of it that are marked. */
export interface TelegramText {
  readonly text: string;
  /** The same as HTML of a page. */
  readonly html: string;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/**
 * Reads the HTML that the bot API takes: a few tags, properly nested, and four entities. Null where it would answer
 * "can't parse entities".
 */
export function readTelegramHtml(source: string): TelegramText | null {
  const open: string[] = [];
  let text = "";
  for (const [token] of source.matchAll(/<[^>]*>?|&[^;\s<&]*;?|[^<&]+/g)) {
    const read = token.startsWith("<") ? readTag(token, open) : readText(token);
    if (read === null) return null;
    text += read;
  }
  return open.length === 0 ? { text, html: source } : null;
}

/** Opens or closes a tag. */
function readTag(token: string, open: string[]): string | null {
  const [, plain, link, closing] = /^<(?:(b|s)|(a) href="[^"<>]+"|\/(b|s|a))>$/.exec(token) ?? [];
  const opening = plain ?? link;
  if (opening !== undefined) {
    open.push(opening);
    return "";
  }
  return closing !== undefined && open.pop() === closing ? "" : null;
}

function readText(token: string): string | null {
  return token.startsWith("&") ? (ENTITIES[token.slice(1, -1)] ?? null) : token;
}
