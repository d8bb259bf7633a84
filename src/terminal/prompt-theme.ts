import { checkbox, confirm, input, password, search } from "@inquirer/prompts";
import { sanitizeLine } from "../output/sanitize.js";
import { createStyle, inCharset, type Style, symbolsOf } from "../output/style.js";
import { truncateText, wrapText } from "../output/table/text-width.js";

/** The prompts that are shown. An import of all would bring an editor with tables of encodings, a fifth of the program. */
export const prompts = { checkbox, confirm, input, password, search };

/** What is shown of a choice. Texts may be anything: they are shown on one line, without control characters. */
export interface ChoiceText {
  /** Cut to the width of the terminal. */
  readonly name: string;
  /** What the line says when it is chosen; by default the name. */
  readonly short?: string;
  /** Shown in full below the list while the choice is active. */
  readonly description?: string;
  /** `#` and six hex digits: the color of a marker before the name. */
  readonly color?: string | null;
}

/** The terminal on which is asked. */
export interface PromptCapabilities {
  readonly columns: number;
  /** Whether it shows more than ASCII. */
  readonly unicode: boolean;
  readonly color: boolean;
}

/** Columns before a choice: the cursor, and in a list of checkboxes the box. */
const MARGIN = 6;

/** Columns after a question, in which the library says what Enter means. */
const CHOICE_WIDTH = " (y/N)".length;

/** How prompts and their choices look, with our colors, which follow `--color`. */
export async function createTheme(capabilities: PromptCapabilities) {
  const style = await createStyle(capabilities);
  return {
    theme: themeOf(style, capabilities),
    describeChoice: (choice: ChoiceText) => describe(choice, style, capabilities),
  };
}

function describe(
  { name, short, description, color }: ChoiceText,
  style: Style,
  { columns, unicode }: PromptCapabilities,
) {
  const line = (text: string): string => inCharset(sanitizeLine(text), { unicode });
  const marker = style.enabled && color ? `${style.hex(color, symbolsOf({ unicode }).dot)} ` : "";
  const width = Math.max(1, columns - MARGIN - (marker === "" ? 0 : 2));
  return {
    name: marker + inCharset(truncateText(line(name), width), { unicode }),
    short: inCharset(truncateText(line(short ?? name), width), { unicode }),
    ...(description === undefined ? {} : { description: line(description) }),
  };
}

/** The theme of the library. */
function themeOf({ bold, dim, red, green }: Style, { columns, unicode }: PromptCapabilities) {
  const plain = (text: string): string => text;
  const wrap = (text: string, width = columns - 2): string =>
    wrapText(text, { width, breakWords: true }).join("\n  ");
  const keysHelpTip = (keys: [key: string, action: string][]): string =>
    dim(
      truncateText(
        keys.map(([key, action]) => `${unicode ? key : (ASCII_KEYS[key] ?? key)} ${action}`).join(", "),
        columns - 1,
      ),
    );
  return {
    prefix: { idle: bold("?"), done: green(unicode ? "✔" : "*") },
    icon: unicode
      ? { cursor: "❯", checked: green("◉"), unchecked: "◯" }
      : { cursor: ">", checked: "[x]", unchecked: "[ ]" },
    style: {
      answer: plain,
      message: (text: string) => bold(wrap(text, Math.max(columns - 2 - CHOICE_WIDTH, 1))),
      error: (text: string) => red(`> ${wrap(text)}`),
      defaultAnswer: (text: string) => dim(`(${text})`),
      help: (text: string) => dim(text),
      highlight: (text: string) => bold(text),
      key: (text: string) => bold(text),
      searchTerm: plain,
      description: (text: string) => dim(`  ${wrap(text)}`),
      maskedText: "(not shown)",
      keysHelpTip,
    },
  };
}

const ASCII_KEYS: Readonly<Record<string, string>> = { "↑↓": "up/down", "⏎": "enter" };
