import { sanitizeLine } from "../output/sanitize.js";

const MASK = "***";

/** Shorter secrets are not masked: masking `a1` everywhere would make text unreadable and reveal the secret. */
const MIN_LENGTH = 8;

/** The URL of a host alone, which may be typed where one with a secret was asked for, is none: hints name hosts. */
const HOST_ALONE = /^https?:\/\/[^/?#@]*\/?$/i;

/** Longer secrets are searched for in whole encodings only: a pattern with each character would be too large. */
const MAX_PATTERN = 512;

/** Backslashes of an escape in nested JSON. Bounded, since a long run would otherwise take quadratic time. */
const BACKSLASHES = "\\\\{1,8}";

type Mask = (text: string) => string;

/** Masks the secrets that are known so far. */
export type Redactor = ReturnType<typeof createRedactor>;

/** @param initial returns the secrets of the environment; called when a text is first masked */
export function createRedactor(initial: () => readonly string[]) {
  const masks = new Map<string, Mask>();
  let isInitialized = false;
  const add = (value: string | undefined): void => {
    if (value === undefined || value.length < MIN_LENGTH || HOST_ALONE.test(value) || masks.has(value))
      return;
    masks.set(value, value.length <= MAX_PATTERN ? maskByPattern(value) : maskByForms(value));
  };
  return {
    /** Adds a token, client secret, authorization code, code verifier, state or password. */
    add,
    /** Replaces every secret by `***`, in any encoding. */
    mask(text: string): string {
      if (!isInitialized) {
        isInitialized = true;
        for (const value of initial()) add(value);
      }
      // The longest first: one secret may be part of another.
      const sorted = [...masks].sort(([one], [other]) => other.length - one.length);
      return sorted.reduce((masked, [, mask]) => mask(masked), text);
    },
  };
}

/** Finds a value in any case, as it is, URL-encoded, in JSON, and sanitized for terminals, even where encodings are mixed. */
function maskByPattern(value: string): Mask {
  let pattern: RegExp | undefined;
  return (masked) => {
    // Made when it is first needed, since most runs mask nothing.
    pattern ??= secretPattern(value);
    return masked.replace(pattern, MASK);
  };
}

function secretPattern(value: string): RegExp {
  const text = Array.from(value, characterPattern).join("");
  const encoded = base64Cores(value).map((core) => core.replace(/[+/]/g, base64Pattern));
  return new RegExp([text, ...encoded].join("|"), "gi");
}

function maskByForms(value: string): Mask {
  const wellFormed = Buffer.from(value, "utf8").toString("utf8");
  const cores = base64Cores(value);
  const urlCores = cores.map((core) => core.replaceAll("+", "-").replaceAll("/", "_"));
  const texts = [value, encodeURIComponent(wellFormed), JSON.stringify(value).slice(1, -1)];
  const forms = [...texts, ...cores, ...urlCores];
  const patterns = forms.map((form) => new RegExp(escapeRegExp(form), "gi"));
  return (text) => patterns.reduce((masked, pattern) => masked.replace(pattern, MASK), text);
}

/** The longest form first: a backslash is also the first half of an escaped one. */
function characterPattern(character: string): string {
  const escapes = [JSON.stringify(character).slice(1, -1), sanitizeLine(character)].map(escapeRegExp);
  const forms = [
    jsonEscape(character),
    ...(character === "\\" ? escapes : escapes.map(repeatable)),
    percentEscape(character),
    ...(character === "/" ? [`${BACKSLASHES}/`] : []),
    ...(character === " " ? ["\\+"] : []),
    escapeRegExp(character),
  ];
  return `(?:${[...new Set(forms)].join("|")})`;
}

/** JSON in JSON doubles the backslash of an escape. */
function repeatable(escaped: string): string {
  return escaped.replace(/^\\\\/, BACKSLASHES);
}

/** `\uXXXX`, which JSON allows for any character. @see RFC 8259 §7 */
function jsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `${BACKSLASHES}u${hexPattern(unit.toString(16).padStart(4, "0"))}`).join("");
}

/** `%XX` for each byte, also in a URL in a URL. @see RFC 3986 §2.1 */
function percentEscape(character: string): string {
  const bytes = Array.from(new TextEncoder().encode(character));
  return bytes.map((byte) => `%(?:25){0,8}${hexPattern(byte.toString(16).padStart(2, "0"))}`).join("");
}

function hexPattern(digits: string): string {
  return digits.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/**
 * The base64 encodings of a text that is part of a longer one, as in `Basic`: one for each position in a group of three
 * bytes. Characters at the ends that also encode neighboring bytes are left out.
 * @see RFC 4648 §4
 */
function base64Cores(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
}

/** Either alphabet of base64, also URL-encoded. @see RFC 4648 §5 */
function base64Pattern(character: string): string {
  return character === "+" ? "(?:[+-]|%2[bB])" : "(?:[/_]|\\\\/|%2[fF])";
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
