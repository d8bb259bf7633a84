/** The text without the byte order mark that some editors of Windows put in front of it. */
export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
