import { locateJsonError } from "../contract/json-syntax.js";

/** What is wrong with a text that JSON.parse refused, and where: `unexpected text at line 3, column 1 (character 20)`. */
export async function describeJsonError(text: string): Promise<string> {
  const { offset, line, column, atEnd } = await locateJsonError(text);
  return `${atEnd ? "it ends too early" : "unexpected text"} at line ${line}, column ${column} (character ${offset})`;
}
