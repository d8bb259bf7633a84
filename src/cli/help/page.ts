import { Help } from "commander";

/** A page of help, from which the text for a terminal and the manual page are made. */
export type HelpPage = readonly HelpPart[];

export type HelpPart =
  /** A paragraph. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "heading"; readonly title: string }
  /** Terms, such as flags, and what they mean. */
  | { readonly kind: "terms"; readonly terms: readonly HelpTerm[] }
  /** Shell commands that run as they stand. */
  | { readonly kind: "examples"; readonly examples: readonly Example[] };

export type HelpTerm = readonly [term: string, meaning: string];

/**
 * What an example is for, and its shell commands, which run as they stand. They may be broken at any space outside
 * quotes.
 */
export type Example = readonly [purpose: string, ...commands: string[]];

/** A paragraph; it is broken to the width of the terminal or page where it is shown. */
export function text(paragraph: string): HelpPart {
  return { kind: "text", text: paragraph };
}

/** A heading and its terms; nothing without terms. */
export function termsSection(title: string, terms: readonly HelpTerm[]): HelpPage {
  return terms.length === 0
    ? []
    : [
        { kind: "heading", title },
        { kind: "terms", terms },
      ];
}

/** A heading and its examples; nothing without examples. */
export function examplesSection(title: string, examples: readonly Example[]): HelpPage {
  return examples.length === 0
    ? []
    : [
        { kind: "heading", title },
        { kind: "examples", examples },
      ];
}

/** Narrower terminals get the help of this width. */
const MIN_WIDTH = 40;
/** Longer lines are hard to read. */
const MAX_WIDTH = 100;
const DEFAULT_WIDTH = 80;

/** Columns that a meaning needs to stand beside its term; in fewer it stands below. */
const MIN_MEANING = 30;
const INDENT = "  ";
const DEEP_INDENT = "      ";

/**
 * A page as text. No word is broken.
 * @param columns of the terminal; undefined where there is none
 */
export function renderHelpText(page: HelpPage, columns: number = DEFAULT_WIDTH): string {
  const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns));
  const parts = page.map((part) => renderPart(part, width));
  return parts.map((lines, index) => separator(page[index - 1]) + lines.join("\n")).join("\n");
}

/** A heading stands directly above what it is about. */
function separator(before: HelpPart | undefined): string {
  return before === undefined || before.kind === "heading" ? "" : "\n";
}

function renderPart(part: HelpPart, width: number): readonly string[] {
  switch (part.kind) {
    case "text":
      return wrap(part.text, width);
    case "heading":
      return [`${part.title}:`];
    case "terms":
      return renderTerms(part.terms, width);
    case "examples":
      return part.examples.flatMap((example, index) => [
        ...(index === 0 ? [] : [""]),
        ...renderExample(example, width),
      ]);
  }
}

function renderTerms(terms: readonly HelpTerm[], width: number): readonly string[] {
  const termWidth = Math.max(...terms.map(([term]) => term.length));
  const indent = INDENT.length + termWidth + 2;
  if (width - indent < MIN_MEANING) {
    return terms.flatMap(([term, meaning]) => [
      `${INDENT}${term}`,
      ...wrap(meaning, width - DEEP_INDENT.length).map((line) => `${DEEP_INDENT}${line}`),
    ]);
  }
  return terms.flatMap(([term, meaning]) => {
    const [first = "", ...others] = wrap(meaning, width - indent);
    return [
      `${INDENT}${term.padEnd(termWidth)}  ${first}`.trimEnd(),
      ...others.map((line) => `${" ".repeat(indent)}${line}`),
    ];
  });
}

function renderExample([purpose, ...commands]: Example, width: number): readonly string[] {
  const comment = wrap(purpose, width - INDENT.length - 2).map((line) => `${INDENT}# ${line}`);
  const lines = commands.flatMap((command) => breakCommand(command, width - INDENT.length));
  return [...comment, ...lines.map((line) => `${INDENT}${line}`)];
}

/** A word of a shell command: `"$(` and `)"` belong to the words inside them. */
const SHELL_WORD = /(?:"\$\(|\)"|"[^"]*"|'[^']*'|[^\s"'])+/g;
/** A flag and its value, which stand on one line where they fit, or another word. */
const SHELL_ARGUMENT = new RegExp(`(?:--?[a-z][a-z-]* (?!-))?${SHELL_WORD.source}`, "g");

/** Breaks a shell command at spaces outside quotes, so that it runs when it is copied. */
export function breakCommand(command: string, width: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  const room = width - INDENT.length - " \\".length;
  const parts = (command.match(SHELL_ARGUMENT) ?? []).flatMap((argument) =>
    argument.length > room ? (argument.match(SHELL_WORD) ?? []) : [argument],
  );
  for (const part of parts) {
    if (current !== "" && current.length + 1 + part.length + " \\".length > width) {
      lines.push(`${current} \\`);
      current = `${INDENT}${part}`;
    } else {
      current += current === "" ? part : ` ${part}`;
    }
  }
  return [...lines, current];
}

/** Lines of at most so many columns; a longer word has a line of its own. */
export function wrap(paragraph: string, width: number): readonly string[] {
  const help = new Help();
  help.minWidthToWrap = 1;
  return help.boxWrap(paragraph, width).split("\n");
}
