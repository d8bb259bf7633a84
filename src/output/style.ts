/** Colours and weight for terminals. Each function takes text that is harmless already. */
export interface Style {
  /** Whether any of this shows. */
  readonly enabled: boolean;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  /** `color` is `#` and six hex digits; with anything else the text stays as it is. */
  readonly hex: (color: string, text: string) => string;
}

/** The style without colours: text stays as it is. */
export const PLAIN_STYLE: Style = {
  enabled: false,
  bold: (text) => text,
  dim: (text) => text,
  red: (text) => text,
  green: (text) => text,
  hex: (_color, text) => text,
};

/** 256 colours: terminals without 24-bit colour garble its sequences, hardly one lacks these. */
const COLOR_LEVEL = 2;

/** The style for a stream; the colour package is loaded only where it is wanted. */
export async function createStyle(color: boolean): Promise<Style> {
  if (!color) return PLAIN_STYLE;
  const { Chalk } = await import("chalk");
  const chalk = new Chalk({ level: COLOR_LEVEL });
  return {
    enabled: true,
    bold: chalk.bold,
    dim: chalk.dim,
    red: chalk.red,
    green: chalk.green,
    hex: (value, text) => (isHexColor(value) ? chalk.hex(value)(text) : text),
  };
}

/** Whether the text is `#` and six hex digits, the one way in which the contract writes a colour. */
export function isHexColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** What `--color` takes. */
export type ColorChoice = "auto" | "always" | "never";

export interface ColorOptions {
  readonly choice: ColorChoice;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the stream in question is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * Whether a stream gets colours: `--color`, then NO_COLOR, FORCE_COLOR (`0` and `false` mean no), TERM=dumb, and
 * last whether it is a terminal. Empty variables count as unset.
 */
export function wantsColor({ choice, env, isTerminal }: ColorOptions): boolean {
  if (choice === "always") return true;
  if (choice === "never") return false;
  if (isSet(env["NO_COLOR"])) return false;
  const force = env["FORCE_COLOR"];
  if (isSet(force)) return force !== "0" && force !== "false";
  return isTerminal && env["TERM"] !== "dumb";
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
