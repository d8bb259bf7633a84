import { HEX_COLOR } from "../../contract/limits.js";
import { parseUrl } from "../../contract/url.js";

/** Colors and weight for terminals. Each function takes sanitized text. */
export interface Style {
  /** Whether colors are shown. */
  readonly enabled: boolean;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  /** `color` is `#` and six hex digits; with anything else the text is not changed. */
  readonly hex: (color: string, text: string) => string;
  /** A link, if the URL is one for people to follow. @param url as the service sent it */
  readonly link: (url: string | null, text: string) => string;
}

/** Does not change the text. */
export const PLAIN_STYLE: Style = {
  enabled: false,
  bold: (text) => text,
  dim: (text) => text,
  red: (text) => text,
  green: (text) => text,
  hex: (_color, text) => text,
  link: (_url, text) => text,
};

/** 256 colors, which nearly every terminal supports. Those without 24-bit color garble its sequences. */
const COLOR_LEVEL = 2;

export interface StyleOptions {
  readonly color: boolean;
  /** The default is no. */
  readonly hyperlinks?: () => Promise<boolean>;
}

/** The style for a stream; the packages are loaded only for streams with colors. */
export async function createStyle({ color, hyperlinks }: StyleOptions): Promise<Style> {
  if (!color) return PLAIN_STYLE;
  const [{ Chalk }, hasLinks] = await Promise.all([import("chalk"), hyperlinks?.()]);
  const chalk = new Chalk({ level: COLOR_LEVEL });
  return {
    enabled: true,
    bold: chalk.bold,
    dim: chalk.dim,
    red: chalk.red,
    green: chalk.green,
    hex: (value, text) => (HEX_COLOR.test(value) ? chalk.hex(visibleColor(value))(text) : text),
    link: hasLinks === true ? hyperlink : PLAIN_STYLE.link,
  };
}

/** Luminance within which a color stands out on black, #1e1e1e and white: a contrast of 2. */
const VISIBLE = { darkest: 0.08, brightest: 0.475 };
/** The luminance that a color gets if it is too bright: the nearest of the 256 colors is still visible. */
const DARKENED = 0.4;

/**
 * The color, or one of its hue that can be seen on a dark background and on a bright one: nothing says for certain which
 * a terminal has.
 * @see WCAG 2.2, relative luminance
 */
function visibleColor(hex: string): string {
  const channels = [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255));
  const luminance = luminanceOf(channels);
  if (luminance >= VISIBLE.darkest && luminance <= VISIBLE.brightest) return hex;
  // Mixed with white, or with black.
  const white = luminance < VISIBLE.darkest ? (VISIBLE.darkest - luminance) / (1 - luminance) : 0;
  const own = luminance < VISIBLE.darkest ? 1 - white : DARKENED / luminance;
  const mixed = channels.map((channel) => Math.round(encoded(channel * own + white) * 255));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function luminanceOf([red = 0, green = 0, blue = 0]: readonly number[]): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function encoded(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

const LINK_PROTOCOLS: readonly string[] = ["http:", "https:", "mailto:", "tel:"];
/** What terminals accept. */
const MAX_LINK = 2083;

/** An OSC 8 sequence. The URL's own serialization has no control characters. @see WHATWG URL, section 4.5 */
function hyperlink(url: string | null, text: string): string {
  const href = url === null ? null : parseUrl(url);
  if (href === null || !LINK_PROTOCOLS.includes(href.protocol) || href.href.length > MAX_LINK) return text;
  return `\u001b]8;;${href.href}\u001b\\${text}\u001b]8;;\u001b\\`;
}

/** Values of `--color`. */
export type ColorChoice = "auto" | "always" | "never";

export interface ColorOptions {
  readonly choice: ColorChoice;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the stream in question is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * Whether a stream gets colors: `--color`, then NO_COLOR, FORCE_COLOR (`0` and `false` mean no), TERM=dumb, and
 * finally whether it is a terminal. Empty variables count as unset.
 */
export function isColorEnabled({ choice, env, isTerminal }: ColorOptions): boolean {
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

/** Whether the locale's encoding is UTF-8, which its terminal then shows. Windows consoles do without a locale. */
export function isUnicodeLocale({
  env,
  platform,
}: {
  readonly env: ColorOptions["env"];
  readonly platform: string;
}): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return platform === "win32" || /utf-?8/i.test(locale);
}

/** What calctl draws with beside letters. */
interface Symbols {
  /** In the color of what follows. */
  readonly dot: string;
  /** Before a name, in the color of its calendar or label, without a space. */
  readonly bar: string;
  readonly running: string;
  readonly arrow: string;
  readonly dash: string;
  /** Of an event that repeats. */
  readonly repeats: string;
}

const UNICODE: Symbols = { dot: "●", bar: "▌", running: "▸", arrow: "→", dash: "–", repeats: "↻" };
const ASCII: Symbols = { dot: "*", bar: "|", running: ">", arrow: "->", dash: "-", repeats: "(repeats)" };

/** @param capabilities.unicode whether it shows more than ASCII */
export function symbolsOf({ unicode }: { readonly unicode: boolean }): Symbols {
  return unicode ? UNICODE : ASCII;
}

/** Without the ellipsis of cut text, and the dashes and dots between parts of a line, where only ASCII is shown. */
export function inCharset(text: string, { unicode }: { readonly unicode: boolean }): string {
  return unicode ? text : text.replaceAll("…", "~").replaceAll("–", "-").replaceAll("·", "-");
}
