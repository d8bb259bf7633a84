const repeat = (text: string) => (length: number) => text.repeat(Math.ceil(length / text.length));

/** Texts on which unbounded work takes the square of their length, each with the name of what it consists of. */
export const SLOW_TEXTS: readonly (readonly [string, (length: number) => string])[] = [
  ["marks out of order", repeat("\u0315\u0316")],
  ["marks that decompose into two", repeat("\u0f73")],
  ["letters with 30 marks", repeat(`a${"\u0315\u0316".repeat(15)}`)],
  ["marks of half-width letters", repeat("\u0315\uff9e")],
  ["marks after wide characters", repeat(`日${"\u0301".repeat(40)}`)],
  ["characters of zero width", repeat("\u200b")],
  ["wide characters", repeat("日")],
  ["ligatures of many letters", repeat("\ufdfa")],
  ["halves of flags", repeat("\u{1f1e6}")],
  ["joined emoji", repeat("👩\u200d")],
  ["Hangul consonants", repeat("\u1100")],
  ["control characters", repeat("\u0001")],
  ["spaces before a letter", (length) => `${repeat(" ")(length)}x`],
  ["line feeds", repeat("\n")],
  ["letters", repeat("a")],
  ["short words", repeat("a ")],
  ["digits", repeat("0")],
  ["colons and letters", repeat(":a0")],
  ["beginnings of URLs", repeat("http://")],
  ["brackets", repeat("[(<{")],
  ["marks of Markdown", repeat("*_`~\\")],
];
