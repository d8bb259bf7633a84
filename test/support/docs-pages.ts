import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface Block {
  readonly language: string;
  readonly text: string;
}

/** A page of docs by its name, or any file by its path from the root of the repository. */
export function readPage(name: string): string {
  const path = name.includes(".") || name.includes("/") ? name : `docs/${name}.md`;
  return readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
}

export function blocksOf(page: string): readonly Block[] {
  const fences = page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...fences].map(([, language = "", text = ""]) => ({ language, text }));
}

export function blocksBelow(page: string, heading: string): readonly Block[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the page has no heading "${heading}"`);
  return blocksOf(section);
}
