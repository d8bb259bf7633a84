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
export function examplesSection(examples: readonly Example[]): HelpPage {
  return examples.length === 0
    ? []
    : [
        { kind: "heading", title: "Examples" },
        { kind: "examples", examples },
      ];
}
