/** Reads the value of a header. White space between encoded words is not part of the text. @see RFC 2047 §6.2 */
export function decodeWords(value: string): string {
  const joined = value.replace(/(\?=)\s+(?==\?)/g, "$1");
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return joined.replace(/=\?UTF-8\?B\?([\w+/=]*)\?=/gi, (word, base64: string) => {
    if (word.length > 75) throw new Error(`an encoded word is longer than 75 characters: ${word}`);
    return decoder.decode(Buffer.from(base64, "base64"));
  });
}
