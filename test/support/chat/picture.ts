/** Draws messages as a picture for the documentation: each on a card as wide as a phone shows it. */

const CARD = { width: 360, gap: 16, heading: 28 };

interface Card {
  readonly heading: string;
  /** XHTML, without scripts. */
  readonly body: string;
}

export interface CardPicture {
  /** What the picture shows, for those who cannot see it. */
  readonly title: string;
  readonly style: string;
  readonly cards: readonly Card[];
  /** Of a card, in pixels. */
  readonly height: number;
}

/** @returns an SVG document */
export function drawCards({ title, style, cards, height }: CardPicture): string {
  const width = cards.length * (CARD.width + CARD.gap) + CARD.gap;
  const total = CARD.heading + height + CARD.gap;
  const drawn = cards.map(({ heading, body }, index) => {
    const x = CARD.gap + index * (CARD.width + CARD.gap);
    return [
      `<text x="${x}" y="20">${heading}</text>`,
      `<foreignObject x="${x}" y="${CARD.heading}" width="${CARD.width}" height="${height}">${body}</foreignObject>`,
    ].join("\n");
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" role="img">`,
    `<title>${title}</title>`,
    `<style>${style} svg { background: #f2f2f2 } text { font: bold 14px system-ui, sans-serif; fill: #57606a } main { margin: 0; max-width: none; color: #1f2328 }</style>`,
    `<rect width="${width}" height="${total}" fill="#f2f2f2"/>`,
    ...drawn,
    "</svg>",
  ].join("\n")}\n`;
}

/** What is in the body of a page, as a card. */
export function cardBody(page: string): string {
  const [, style = "", body = ""] = /<body(?: style="([^"]*)")?>(.*)<\/body>/s.exec(page) ?? [];
  const xhtml = body.trim().replaceAll("<br>", "<br/>");
  const main = xhtml.startsWith("<main") ? xhtml : `<main class="mail" style="${style}">${xhtml}</main>`;
  return main.replace("<main", '<main xmlns="http://www.w3.org/1999/xhtml"');
}
