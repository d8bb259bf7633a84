import { isLoopback, parseUrl, wrongPartOf } from "../../contract/url.js";
import { missingFlagsError, usageError } from "../errors.js";
import type { WebhookAddress } from "./post.js";
import type { TargetKind, TargetPlace } from "./target.js";

/** Larger than any webhook's URL, and than a header can be (UTF-16 code units). */
const MAX_LENGTH = 4096;

/** Of a bot of telegram. */
const BOT_TOKEN = /^\d{1,20}:[\w-]{20,100}$/;

/** What a URL looks like, for the hint. */
const EXAMPLES: Readonly<Partial<Record<TargetKind, string>>> = {
  slack: "https://hooks.slack.com/services/…",
  discord: "https://discord.com/api/webhooks/…",
  googlechat: "https://chat.googleapis.com/v1/spaces/…",
  ntfy: "https://ntfy.sh/TOPIC, with an access token https://:TOKEN@ntfy.sh/TOPIC",
};

/**
 * Reads the URL of a webhook, or the token of a bot: https, or http on this machine only. The messages never repeat it.
 * @param source where the text came from, for messages
 * @returns the URL that messages are posted to
 * @throws CliError usage
 */
export function parseWebhookUrl(text: string, kind: TargetKind, source: string): string {
  const wrong = (problem: string) => usageError(`${source}: ${problem}`, hintOf(kind));
  if (text === "") throw wrong("it is empty");
  if (text.length > MAX_LENGTH) throw wrong("it is too long for a URL");
  // Without words that somebody may give instead of a URL: the text is masked wherever it appears.
  if (/[\s\p{Cc}]/u.test(text)) throw wrong("it must not contain spaces or line breaks");
  const isBot = kind === "telegram";
  if (isBot && BOT_TOKEN.test(text)) return `https://api.telegram.org/bot${text}/sendMessage`;
  const wrongPart = wrongPartOf(text);
  if (wrongPart !== null) throw wrong(wrongPart);
  const url = parseUrl(text);
  if (url === null || !/^https?:\/\//i.test(text)) {
    throw wrong(isBot ? "it is not a bot's token" : "it is not an https URL");
  }
  const problem = findProblem(url, kind);
  if (problem !== null) throw wrong(problem);
  checkPlatform(url, kind, source);
  checkAddress(url, kind, source);
  if (!isBot) return url.href;
  if (!/\/bot\d+:[\w-]+(?:\/sendMessage)?$/.test(url.pathname)) throw wrong("it is not the URL of a bot");
  return botUrl(url.href);
}

/** What no webhook's URL has; null if it is fine. Only those of ntfy may have an access token. */
function findProblem(url: URL, kind: TargetKind): string | null {
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return "http is not encrypted, and works only for 127.0.0.1, [::1] and localhost";
  }
  if (url.username !== "" || (url.password !== "" && kind !== "ntfy")) {
    return "it must not have a user or a password";
  }
  if (!/^[\w-]{0,200}$/.test(url.password)) return "what stands before the host is not an access token";
  return url.hash === "" ? null : "it has a fragment (#), which is never sent";
}

function hintOf(kind: TargetKind): string {
  if (kind === "telegram") return "use the token from @BotFather";
  return `use the URL that the platform shows, such as ${EXAMPLES[kind] ?? "https://HOST/PATH"}`;
}

function botUrl(url: string): string {
  return url.endsWith("/sendMessage") ? url : `${url}/sendMessage`;
}

/** The hosts of platforms that run nowhere else. */
const PLATFORM_HOSTS: readonly (readonly [TargetKind, RegExp])[] = [
  ["slack", /^hooks\.slack(?:-gov)?\.com$/],
  ["discord", /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/],
  ["telegram", /^api\.telegram\.org$/],
  ["googlechat", /^chat\.googleapis\.com$/],
  ["ntfy", /^ntfy\.sh$/],
];

/** A message in the form of one platform is refused by another. @throws CliError usage */
function checkPlatform({ hostname, pathname }: URL, kind: TargetKind, source: string): void {
  const [platform] = PLATFORM_HOSTS.find(([, hosts]) => hosts.test(hostname)) ?? [];
  if (platform === undefined || platform === kind) return;
  // Discord takes messages in the form of Slack, too.
  if (platform === "discord" && kind === "slack" && pathname.endsWith("/slack")) return;
  throw usageError(
    `${source}: ${hostname} takes messages of ${platform}, not of ${kind}`,
    `write --as ${platform}, or use the URL of ${kind}`,
  );
}

/** An address of a platform that takes no messages, and what would be right. */
interface OtherAddress {
  readonly kind: TargetKind;
  readonly host: RegExp;
  /** In front of the query. */
  readonly path: RegExp;
  readonly problem: string;
  readonly hint: string;
}

const CHANNEL_LINK = "it is a link to a channel, not the URL of a webhook";
const SLACK_HINT =
  "create an app with Incoming Webhooks, and use its URL: https://hooks.slack.com/services/…";

const GOOGLE_CHAT_HINT =
  "create a webhook in the space's Apps & integrations, and use its URL: https://chat.googleapis.com/v1/spaces/…";

const OTHER_ADDRESSES: readonly OtherAddress[] = [
  {
    kind: "slack",
    host: /^hooks\./,
    path: /^\/(?:triggers|workflows)\//,
    problem: "it is the URL of a workflow, which takes no messages",
    hint: SLACK_HINT,
  },
  {
    kind: "slack",
    host: /^(?!hooks\.)(?:.*\.)?slack\.com$/,
    path: /^/,
    problem: CHANNEL_LINK,
    hint: SLACK_HINT,
  },
  {
    kind: "slack",
    host: /^hooks\.slack(?:-gov)?\.com$/,
    path: /^(?!\/services\/.)/,
    problem: "it is not the URL of a webhook",
    hint: SLACK_HINT,
  },
  {
    kind: "discord",
    host: /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$|^discord\.gg$/,
    path: /^(?!\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+\/?$)/,
    problem: "it is not the URL of a webhook",
    hint: "create a webhook in the channel's settings, under Integrations, and use its URL: https://discord.com/api/webhooks/ID/TOKEN",
  },
  {
    kind: "teams",
    host: /^teams\.(?:microsoft|live|cloud\.microsoft)\b/,
    path: /^/,
    problem: CHANNEL_LINK,
    hint: "create the workflow When a Teams webhook request is received, and use its URL",
  },
  {
    kind: "mattermost",
    host: /^/,
    path: /\/channels\/[^/]+$/,
    problem: CHANNEL_LINK,
    hint: "create an incoming webhook, and use its URL: https://HOST/hooks/…",
  },
  {
    kind: "googlechat",
    host: /^chat\.google\.com$/,
    path: /^/,
    problem: "it is a link to a space, not the URL of a webhook",
    hint: GOOGLE_CHAT_HINT,
  },
  {
    kind: "googlechat",
    host: /^chat\.googleapis\.com$/,
    path: /^(?!\/v1\/spaces\/.)/,
    problem: "it is not the URL of a webhook",
    hint: GOOGLE_CHAT_HINT,
  },
  {
    kind: "ntfy",
    host: /^/,
    path: /\/$/,
    problem: "it has no topic",
    hint: "add the topic, as in https://ntfy.sh/TOPIC",
  },
  // Letters, digits, - and _; below a server's own host it is the whole path.
  {
    kind: "ntfy",
    host: /^/,
    path: /(?<!\/[-\w]{1,64})$/,
    problem: "it is not the URL of a topic",
    hint: "a topic is at most 64 letters, digits, - and _, as in https://ntfy.sh/TOPIC",
  },
  {
    kind: "ntfy",
    host: /^ntfy\.sh$/,
    path: /.\//,
    problem: "it is not the URL of a topic",
    hint: "use the topic alone, as in https://ntfy.sh/TOPIC",
  },
];

/** @throws CliError usage for a link or another address of the platform, which would refuse every message */
function checkAddress({ hostname, pathname }: URL, kind: TargetKind, source: string): void {
  const found = OTHER_ADDRESSES.find(
    (other) => other.kind === kind && other.host.test(hostname) && other.path.test(pathname),
  );
  if (found !== undefined) throw usageError(`${source}: ${found.problem}`, found.hint);
}

interface PlaceFlag {
  readonly name: "chat" | "topic";
  /** The only kind that has it. */
  readonly owner: TargetKind;
  readonly isOptional?: true;
  readonly known: RegExp;
  readonly hint: string;
}

/** The flags that say where in a target messages go. */
const PLACE_FLAGS: readonly PlaceFlag[] = [
  {
    name: "chat",
    owner: "telegram",
    known: /^(?:-?\d{1,20}|@\w{1,64})$/,
    hint: "write a number, or @ and a channel's name",
  },
  {
    name: "topic",
    owner: "telegram",
    isOptional: true,
    // The id of the message that began it.
    known: /^[1-9]\d{0,9}$/,
    hint: "write the last number of its link",
  },
];

/** @throws CliError usage */
export function checkPlace(kind: TargetKind, place: TargetPlace): void {
  checkGivenPlace(kind, place);
  const [flag] = missingPlaceFlags(kind, place);
  if (flag !== undefined) throw missingFlagsError([flag], `${kind} needs the id of the ${flag.slice(2)}`);
}

/** As `checkPlace`, but takes it for now that something is missing. @throws CliError usage */
export function checkGivenPlace(kind: TargetKind, place: TargetPlace): void {
  for (const { name, owner, known, hint } of PLACE_FLAGS) {
    const value = place[name];
    if (value === undefined) continue;
    if (kind !== owner) throw usageError(`--${name}: only ${owner} has ${name}s, not ${kind}`);
    if (!known.test(value)) throw usageError(`--${name}: ${quote(value)} is not the id of a ${name}`, hint);
  }
}

/** The flags without which a kind has nowhere to post to. */
export function missingPlaceFlags(kind: TargetKind | undefined, place: TargetPlace): readonly string[] {
  return PLACE_FLAGS.filter(
    ({ name, owner, isOptional }) => owner === kind && isOptional !== true && place[name] === undefined,
  ).map(({ name }) => `--${name}`);
}

/** The URL that is posted to, and the token that was in it. @see https://docs.ntfy.sh/publish/#access-tokens */
export function splitToken(url: string): Pick<WebhookAddress, "url" | "headers"> {
  const { password } = new URL(url);
  if (password === "") return { url, headers: {} };
  return { url: url.replace(`:${password}@`, ""), headers: { authorization: `Bearer ${password}` } };
}

/** Whether a text that should be something else may be a URL or a bot's token, which no message repeats. */
export function isLikeUrl(text: string): boolean {
  return /[:/]|^xox[abeprs]-/.test(text);
}

/** What to do about a URL or a bot's token that was written on a command line. */
export const SEEN_BY_OTHERS =
  "a command line can be seen by others: renew the URL, and enter it at the prompt, on stdin or with --url-file";

/** A wrong value in quotes for a message, unless it may be a secret in the wrong place. */
export function quote(text: string): string {
  return isLikeUrl(text) ? "the value" : `"${text}"`;
}

/** What a secret's URL may show: the host. */
export function hideUrl(url: string): string {
  return `${new URL(url).origin}/***`;
}

/** The parts of a URL that are secret wherever they appear: path and query, and each long piece of them. */
export function secretsOf(url: string): readonly string[] {
  const { pathname, search, searchParams, password } = new URL(url);
  const pieces = [/\//, /\/(?:bot)?/, /[/:]/].flatMap((separator) => pathname.split(separator));
  pieces.push(...searchParams.values());
  return [
    `${pathname}${search}`.slice(1),
    pathname.slice(1),
    ...(password === "" ? [] : [password]),
    ...pieces.filter((piece) => piece.length >= 16),
  ];
}
