import { codePointLength } from "../../contract/limits.js";
import { eachGrapheme } from "../output/table/text-width.js";

/** What a target counts its limits in. */
export type LengthUnit = "code points" | "UTF-16 units" | "bytes";

export function textLength(text: string, unit: LengthUnit): number {
  switch (unit) {
    case "code points":
      return codePointLength(text);
    case "UTF-16 units":
      return text.length;
    case "bytes":
      return Buffer.byteLength(text);
  }
}

/** The text as it is, or its first user-perceived characters with `…` after them, at most `max` units long. */
export function cutText(text: string, max: number, unit: LengthUnit): string {
  // No unit is shorter than a code point, and none is longer than three bytes for each UTF-16 unit.
  if (text.length * 3 <= max || textLength(text, unit) <= max) return text;
  const room = max - textLength("…", unit);
  let kept = "";
  let used = 0;
  for (const grapheme of eachGrapheme(text)) {
    used += textLength(grapheme, unit);
    if (used > room) break;
    kept += grapheme;
  }
  return room < 0 ? "" : `${kept.trimEnd()}…`;
}

/** The text in pieces of at most `max` bytes of UTF-8, none of which ends within a code point. */
export function cutPieces(text: string, max: number): readonly string[] {
  const pieces = [""];
  for (const character of text) {
    const longer = `${pieces.at(-1)}${character}`;
    if (Buffer.byteLength(longer) > max) pieces.push(character);
    else pieces[pieces.length - 1] = longer;
  }
  return pieces;
}
