import type { Payload, TargetKind } from "../../../../src/delivery/target.js";

/** What each target's documentation says that it refuses, written out here independently of the program's own limits. */

/** Targets that take messages over HTTP. */
export type ChatKind = Exclude<TargetKind, "mail">;

export const CHAT_KINDS: readonly ChatKind[] = [
  ...(["slack", "discord", "teams", "mattermost", "telegram", "googlechat", "ntfy", "json"] as const),
];

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * The largest size of a list in members and of a text in UTF-16 units, of which a text never has fewer than "characters", however
 * a target counts those. A step of a path is a key; in a list it is the `type` of members, or `*` for all of them.
 */
const SIZES: Readonly<Record<ChatKind, Readonly<Record<string, number>>>> = {
  slack: {
    blocks: 50,
    "blocks/header/text/text": 150,
    "blocks/section/text/text": 3_000,
    "blocks/context/elements": 10,
    "blocks/context/elements/*/text": 3_000,
    "blocks/actions/elements": 25,
    "blocks/actions/elements/*/text/text": 75,
    "blocks/actions/elements/*/url": 3_000,
  },
  discord: {
    content: 2_000,
    embeds: 10,
    "embeds/*/title": 256,
    "embeds/*/description": 4_096,
    "embeds/*/footer/text": 2_048,
    "components/*/components": 5,
    "components/*/components/*/label": 80,
    "components/*/components/*/url": 512,
    "allowed_mentions/users": 100,
  },
  teams: { "attachments/*/content/actions": 6 },
  mattermost: {},
  telegram: { "reply_markup/inline_keyboard/*/*/text": 64 },
  googlechat: {},
  ntfy: { actions: 3 },
  json: {},
};

interface Total {
  readonly max: number;
  readonly sizeOf: (body: string) => number;
}

/** The largest size of a whole message, in the unit in which the target counts. */
export const TOTALS: Readonly<Record<Exclude<ChatKind, "json">, Total>> = {
  slack: { max: 11_999, sizeOf: (body) => lengthOf(textsIn(JSON.parse(body), ["text"])) },
  discord: {
    max: 6_000,
    sizeOf: (body) => lengthOf(textsIn(JSON.parse(body).embeds, ["title", "description", "text"])),
  },
  teams: { max: 28_000, sizeOf: Buffer.byteLength },
  mattermost: { max: 16_383, sizeOf: (body) => [...JSON.parse(body).text].length },
  telegram: { max: 4_096, sizeOf: (body) => (readTelegram(JSON.parse(body).text) ?? "").length },
  googlechat: { max: 4_000, sizeOf: (body) => JSON.parse(body).text.length },
  ntfy: { max: 3_800, sizeOf: Buffer.byteLength },
};

/** Why a target would refuse a message, or show it in another way than is meant; empty if it takes the message. */
export function problemsOf(kind: ChatKind, payload: Payload): readonly string[] {
  const { contentType, headers, body } = payload;
  const isNtfy = kind === "ntfy";
  const value: Json = isNtfy
    ? { text: body, actions: JSON.parse(headers["actions"] ?? "[]") }
    : JSON.parse(body);
  const total = kind === "json" ? null : TOTALS[kind];
  const tooLarge = Object.entries(SIZES[kind]).filter(([path, max]) => {
    return valuesAt(value, path.split("/")).some((each) => (each as string | readonly Json[]).length > max);
  });
  const wrong: Readonly<Record<string, boolean>> = {
    "content type": contentType !== `${isNtfy ? "text/plain" : "application/json"}; charset=utf-8`,
    total: total !== null && total.sizeOf(body) > total.max,
    "a character that is cut in half": isNtfy ? /\p{Cs}/u.test(body) : hasHalf(value),
    "an empty text": kind !== "json" && textsIn(value, ["text", "title", "content", "label"]).includes(""),
    "the URL of a button": buttonUrls(kind, value).some((url) => !isButtonUrl(kind, url)),
    ...RULES[kind]?.(value, headers),
  };
  const broken = Object.entries(wrong).filter(([, isBroken]) => isBroken);
  return [...tooLarge, ...broken].map(([what]) => what);
}

type Rules = (value: Json, headers: Payload["headers"]) => Readonly<Record<string, boolean>>;

const RULES: Readonly<Partial<Record<ChatKind, Rules>>> = {
  discord: (value) => ({
    "the text of a link has escapes or a URL, and is shown as it is": textsIn(value, ["description"]).some(
      (text) =>
        [...text.matchAll(/(?<!\\)\[((?:\\.|[^\\\]])*)\]\(/g)].some(([, label = ""]) =>
          /\\|:\/\//.test(label),
        ),
    ),
  }),
  teams: (value) => ({
    "markup in a TextBlock": valuesAt(value, "attachments/*/content/body/TextBlock/text".split("/")).some(
      (text) =>
        !/^(?:\[[^[\]<>\\*~`]+\]\((?:https?:\/\/|mailto:)[\x21-\x7e]+\)|(?:(?:^| )<at>[\w.@-]+<\/at>)+)$/.test(
          String(text),
        ),
    ),
    "an empty text run": valuesAt(
      value,
      "attachments/*/content/body/RichTextBlock/inlines/*".split("/"),
    ).includes(""),
  }),
  telegram: (value) => ({
    "markup that cannot be read": (readTelegram(textsIn(value, ["text"])[0] ?? "") ?? "").trim() === "",
  }),
  ntfy: (_, headers) => {
    const { title = "" } = headers;
    const words = title.split(" ").map((word) => /^=\?UTF-8\?B\?([\w+/=]+)\?=$/i.exec(word)?.[1]);
    const encoded = words.filter((word) => word !== undefined);
    const isEncoded = encoded.length === words.length;
    return {
      "a header that is not ASCII": Object.values(headers).some((header) => !/^[\x20-\x7e]+$/.test(header)),
      "an encoded word of more than 75 characters":
        isEncoded && title.split(" ").some((word) => word.length > 75),
      "a title of more than 250 bytes":
        (isEncoded ? Buffer.from(encoded.join(""), "base64").length : title.length) > 250,
      "text that is read as Markdown": "markdown" in headers,
    };
  },
};

/** Whom a message would notify, and what would become a link without being marked as one. */
export function mentionsIn(kind: ChatKind, { body }: Payload): readonly string[] {
  if (kind === "ntfy" || kind === "json") return [];
  // The URL of a link is not text.
  const all = texts(kind, JSON.parse(body)).map((text) =>
    text.replace(/(?<=(?<=(?:^|[^\\])(?:\\\\)*)\]\()[^\s)]*|<https?:[^\s>]*>/g, ""),
  );
  return all.flatMap((text) => text.match(NAMES[kind]) ?? []);
}

const NAMES: Readonly<Record<Exclude<ChatKind, "ntfy" | "json">, RegExp>> = {
  slack: /<(?:!(?!date\^)|[@#])[^>]*>/g,
  discord: /@(?:everyone|here)|(?<!\\)<(?:@[!&]?|#|a?:\w+:|t:)\d+[^>]*>|(?<!\\):[\w+-]*[a-z][\w+-]*:/gi,
  teams: /<at>.*?<\/at>/g,
  mattermost:
    /@[a-z][\w.-]*|(?<![\p{L}\d~])~[a-z][a-z\d_-]*|(?<![\p{L}\d#])#\p{L}[\p{L}\d_-]+|:[\w+-]*[a-z][\w+-]*:/giu,
  telegram:
    /(?<=^href=")tg:\/\/user\?id=\d+|@[a-z]\w{2,}|[#$][\p{L}\p{N}_]+|(?<![\p{L}\p{N}/<])\/[a-z]\w*/giu,
  googlechat: /<users\/[^>]+>/g,
};

/** The texts of a message in which names have a meaning. */
function texts(kind: ChatKind, value: Json): readonly string[] {
  switch (kind) {
    case "slack": {
      const plain = valuesAt(value, ["blocks", "header", "text", "text"]);
      return textsIn(value, ["text"]).filter((text) => !plain.includes(text));
    }
    case "teams":
      return valuesAt(value, "attachments/*/content/body/TextBlock/text".split("/")).map(String);
    case "discord":
      return textsIn(value, ["content", "title", "description"]);
    case "telegram": {
      const text = textsIn(value, ["text"])[0] ?? "";
      return [readTelegram(text) ?? "", ...(text.match(/(?<=<a )href="tg:[^"]*/g) ?? [])];
    }
    default:
      return textsIn(value, ["text"]);
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/** The text that the HTML of the bot API has; null where it would answer "can't parse entities". */
function readTelegram(source: string): string | null {
  let text = source;
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/<(b|s)>([^<]*)<\/\1>|<a href="[^"<>]+">([^<]*)<\/a>/g, "$2$3");
  }
  if (/<|&(?!(?:lt|gt|amp|quot);)/.test(text)) return null;
  return text.replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? "");
}

const BUTTONS: Readonly<Partial<Record<ChatKind, string>>> = {
  slack: "blocks/actions/elements/*/url",
  discord: "components/*/components/*/url",
  teams: "attachments/*/content/actions/*/url",
  telegram: "reply_markup/inline_keyboard/*/*/url",
  ntfy: "actions/*/url",
};

function buttonUrls(kind: ChatKind, value: Json): readonly string[] {
  return valuesAt(value, (BUTTONS[kind] ?? "none").split("/")).map(String);
}

/** Telegram and Discord refuse other hosts than an IPv4 address and names that a domain may have. */
function isButtonUrl(kind: ChatKind, url: string): boolean {
  const isPublic =
    /^https?:\/\/(?=[^/?#:]{1,254}(?:[/?#:]|$))(?:(?!-)[a-z\d-]{1,63}(?<!-)\.)+(?!-)[a-z\d-]{1,63}(?<!-)\.?(?::\d+)?(?:[/?#]|$)/;
  return (
    /^https?:\/\/[\x21-\x7e]+$/.test(url) && (!["discord", "telegram"].includes(kind) || isPublic.test(url))
  );
}

function valuesAt(value: Json | undefined, [step, ...rest]: readonly string[]): readonly Json[] {
  if (value === undefined || typeof value !== "object" || value === null) {
    return step === undefined && value !== undefined ? [value] : [];
  }
  if (step === undefined) return [value];
  if (!Array.isArray(value)) return valuesAt((value as { readonly [key: string]: Json })[step], rest);
  const members = value as readonly (Json & { readonly type?: string })[];
  return members
    .filter((member) => step === "*" || member.type === step)
    .flatMap((member) => valuesAt(member, rest));
}

/** Every text under some keys, at any depth. */
function textsIn(value: Json, keys: readonly string[]): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "string" ? (keys.includes(name) ? [member] : []) : textsIn(member, keys),
  );
}

function hasHalf(value: Json): boolean {
  if (typeof value === "string") return /\p{Cs}/u.test(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasHalf);
}

function lengthOf(all: readonly string[]): number {
  return all.join("").length;
}
