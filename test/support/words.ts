/**
 * The words of a command line, as a shell reads them: separated by white space, or in "double quotes".
 * What is interpolated stays whole.
 */
export function words(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string[] {
  const line = texts.map((text, index) => (index === 0 ? text : `\u{e000}${index - 1};${text}`)).join("");
  return Array.from(line.matchAll(/"([^"]*)"|[^\s"]+/g), ([word, quoted]) =>
    (quoted ?? word).replace(/\u{e000}(\d+);/gu, (_, index) => String(values[index])),
  );
}
