import { createHash } from "node:crypto";
import type { TargetRecord } from "../config/config.js";
import { isName, NAME_HINT } from "../config/profile-store.js";
import {
  CliError,
  configurationError,
  dryRunError,
  emptyValueError,
  hasCode,
  missingFlagsError,
  usageError,
} from "../errors.js";
import { findNearest } from "../output/words.js";
import type { PostToWebhook, WebhookAddress } from "./post.js";
import { type MailAddresses, parseMailAddresses, parseMailFlags } from "./sendmail.js";
import {
  TARGET_KINDS,
  type Target,
  type TargetKind,
  type TargetPlace,
  type TargetRequest,
} from "./target.js";
import type { TargetStorage } from "./target-storage.js";
import {
  checkGivenPlace,
  checkPlace,
  isLikeUrl,
  missingPlaceFlags,
  quote,
  SEEN_BY_OTHERS,
  splitToken,
} from "./webhook-url.js";

export interface EnvironmentUrl extends Pick<WebhookAddress, "renewHint"> {
  readonly text: string;
  readonly source: string;
}

export interface TargetsDependencies {
  readonly storage: TargetStorage;
  /** The webhook of the environment; null without one. @throws CliError configuration when it cannot be read */
  readonly environmentUrl: () => Promise<EnvironmentUrl | null>;
  readonly post: (webhook: WebhookAddress) => PostToWebhook;
  /** Opens a connection to a webhook. @throws CliError unavailable, configuration */
  readonly check: (webhook: WebhookAddress) => Promise<void>;
  readonly sendMail: (message: string) => Promise<void>;
  /** @throws CliError configuration without a mail program */
  readonly checkMail: () => void;
  /** Masks a secret on stderr. */
  readonly addSecret: (secret: string) => void;
  readonly dryRun: boolean;
}

/** Finds where messages go, and loads the URL. @throws CliError usage, not_found with candidates, configuration */
export async function openTarget(
  request: TargetRequest,
  readUrl: ReadUrl,
  dependencies: TargetsDependencies,
): Promise<Target> {
  const target = await findTarget(request, readUrl, dependencies);
  const { mentions, ics = false } = request;
  if (ics && target.kind !== "mail") throw usageError(`--ics: only mail has attachments, not ${target.kind}`);
  if (mentions !== undefined) checkMentions(target.kind, mentions);
  return { ...target, mentions, ics };
}

async function findTarget(
  request: TargetRequest,
  readUrl: ReadUrl,
  dependencies: TargetsDependencies,
): Promise<Target> {
  const { to, as, flag = "--to" } = request;
  if (as !== undefined) checkGivenPlace(as, request);
  if (as === "mail" && (to === undefined || to.includes("@"))) {
    if (to === undefined) throw missingFlagsError([`${flag} ADDRESS`]);
    return mailTarget(dependencies, { to: parseMailAddresses(to, flag) });
  }
  return to === undefined
    ? openEnvironment(request, readUrl, dependencies)
    : openSaved({ ...request, to }, readUrl, dependencies);
}

/** Runs a check of what was saved or is in the environment: what is wrong there is exit 10. */
function asConfiguration<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (hasCode(error, "usage")) throw configurationError(error.message, { hint: error.hint });
    throw error;
  }
}

/** Checks a URL, and masks it from now on. */
type ReadUrl = (text: string, kind: TargetKind, source: string) => string;

async function openEnvironment(
  { as, chat, topic, flag = "--to" }: TargetRequest,
  readUrl: ReadUrl,
  dependencies: TargetsDependencies,
): Promise<Target> {
  const found = await dependencies.environmentUrl();
  const place = { chat, topic };
  if (found === null) {
    // What would be sent does not depend on the URL.
    if (dependencies.dryRun && as !== undefined)
      return webhookTarget(dependencies, { ...NO_WEBHOOK, kind: as, ...place });
    const format = as === undefined ? ", and add --as" : "";
    const missing = [flag, ...missingPlaceFlags(as, place)];
    throw missingFlagsError(missing, `or set CALCTL_WEBHOOK_URL or CALCTL_WEBHOOK_URL_FILE${format}`);
  }
  const { text, source, renewHint } = found;
  if (as === undefined) {
    throw usageError(`${source} needs --as`, `message formats: ${TARGET_KINDS.join(", ")}`);
  }
  const url = asConfiguration(() => readUrl(text, as, source));
  // Another token does not make it another target.
  const hash = createHash("sha256").update(splitToken(url).url).digest("hex").slice(0, 32);
  const id = withPlace(`url:${hash}`, place);
  return webhookTarget(dependencies, { kind: as, name: source, id, ...place, url, renewHint });
}

async function openSaved(
  { to: name, as, ...given }: TargetRequest & { readonly to: string },
  readUrl: ReadUrl,
  dependencies: TargetsDependencies,
): Promise<Target> {
  const record = findRecord(dependencies.storage, name);
  const kind = TARGET_KINDS.find((known) => known === record.as);
  if (kind === undefined) {
    throw configurationError(
      `target ${name} is for "${record.as}", which this version does not know (${TARGET_KINDS.join(", ")})`,
      { hint: `add it again: calctl targets add ${name} --as KIND --replace` },
    );
  }
  if (as !== undefined && as !== kind) {
    throw usageError(`--as ${as}: target ${name} is for ${kind}`, "leave --as out for a saved target");
  }
  if (kind === "mail") {
    checkPlace(kind, given);
    return mailTarget(
      dependencies,
      asConfiguration(() => parseMailFlags(record, name)),
    );
  }
  const source = `target ${name}`;
  const stored = dependencies.dryRun ? null : await dependencies.storage.loadUrl(name, record);
  const url = stored === null ? null : asConfiguration(() => readUrl(stored, kind, source));
  const renewHint = `create a new one, and run calctl targets add ${name} --as ${kind} --replace`;
  const id = withPlace(`webhook:${name}`, given);
  const { chat = record.chat } = given;
  const topic = given.topic ?? (given.chat === undefined ? record.topic : undefined);
  return webhookTarget(dependencies, { kind, name: source, id, chat, topic, url, renewHint });
}

/** The URL of a bot is the same for all its chats and their topics. */
function withPlace(id: string, { chat, topic }: TargetPlace): string {
  const parts = [id, chat, topic === undefined ? undefined : `topic ${topic}`];
  return parts.filter((part) => part !== undefined).join(" ");
}

const NO_WEBHOOK = { name: "no target", id: "", url: null, renewHint: "" };

interface WebhookTarget extends Pick<Target, "kind" | "name" | "id" | "chat" | "topic"> {
  /** Null with `--dry-run`. */
  readonly url: string | null;
  readonly renewHint: string;
}

function webhookTarget(
  { post, check, dryRun }: TargetsDependencies,
  { url, renewHint, ...target }: WebhookTarget,
): Target {
  const { kind, name } = target;
  checkPlace(kind, target);
  if (url === null || dryRun) return { ...target, ...WITHOUT_SENDING };
  const { url: address, headers } = splitToken(url);
  const webhook = { name, url: kind === "discord" ? confirmed(address) : address, headers, renewHint };
  return { ...target, deliver: post(webhook), check: () => check(webhook) };
}

/**
 * The URL at which Discord answers once a message is saved: otherwise one that is not saved is no error.
 * @see https://discord.com/developers/docs/resources/webhook#execute-webhook-query-string-params
 */
function confirmed(url: string): string {
  const confirming = new URL(url);
  confirming.searchParams.set("wait", "true");
  return confirming.href;
}

function mailTarget({ sendMail, checkMail, dryRun }: TargetsDependencies, addresses: MailAddresses): Target {
  const { to, bcc } = addresses;
  const id = bcc === undefined ? `mail:${to}` : `mail:${to} bcc ${bcc}`;
  const target = { kind: "mail", name: to, id, ...addresses } as const;
  if (dryRun) return { ...target, ...WITHOUT_SENDING };
  return {
    ...target,
    deliver: ({ body }) => sendMail(body),
    check: async () => checkMail(),
  };
}

/** With `--dry-run`. */
const WITHOUT_SENDING: Pick<Target, "deliver" | "check"> = {
  async deliver() {
    throw dryRunError();
  },
  check: async () => undefined,
};

/** Never repeats a URL or a bot's token, which others could have seen already. @throws CliError usage */
export function checkName(name: string): void {
  if (isName(name) && !isLikeUrl(name)) return;
  if (name === "") throw emptyValueError("the name of the target");
  if (isLikeUrl(name)) {
    throw usageError("the name of a target is expected, not its URL", SEEN_BY_OTHERS);
  }
  throw usageError(`"${name}" is not a valid name of a target`, NAME_HINT);
}

/** @throws CliError not_found with the names that there are */
export function findRecord(storage: TargetStorage, name: string): TargetRecord {
  const records = storage.records();
  const record = records.get(name);
  if (record !== undefined) return record;
  checkName(name);
  const names = [...records.keys()].sort();
  const [nearest] = findNearest(name, names, (each) => each);
  const saved =
    names.length > 0 ? `targets: ${names.join(", ")}` : "save one: calctl targets add NAME --as KIND";
  const address = name.includes("@") ? "for an email address add --as mail" : undefined;
  throw new CliError("not_found", `there is no target "${name}"`, {
    hint: nearest === undefined ? (address ?? saved) : `did you mean ${nearest}?`,
    details: { candidates: names.map((each) => ({ id: each, name: each })) },
  });
}

/** Whom `--mention` can name in each target, and how that is said; targets without it notify nobody in particular. */
const MENTIONS: Readonly<Partial<Record<TargetKind, { readonly known: RegExp; readonly hint: string }>>> = {
  slack: {
    known: /^(?:@(?:here|channel|everyone)|[UW][A-Z0-9]{2,30})$/,
    hint: "@here, @channel, @everyone, or the id of a member such as U012AB3CD",
  },
  discord: { known: /^(?:@(?:here|everyone)|\d{15,21})$/, hint: "@here, @everyone, or the id of a member" },
  teams: {
    known: /^(?:[a-z0-9._+'-]{1,64}@[a-z0-9.-]{1,250}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i,
    hint: "a member's email address or object id",
  },
  mattermost: {
    known: /^@[a-z\d][a-z\d._-]{0,63}$/,
    hint: "@here, @channel, @all, or @ and the name of a member",
  },
  telegram: { known: /^\d{1,20}$/, hint: "the number of a user" },
  googlechat: { known: /^users\/(?:all|\d{1,30})$/, hint: "users/ID or users/all" },
};

/** More than anybody names; a longer list belongs into a group. */
const MAX_MENTIONS = 20;

/** Checks whom a message is to mention. @throws CliError usage for whom the target does not know */
export function checkMentions(kind: TargetKind, mentions: readonly string[]): void {
  if (mentions.includes("")) throw emptyValueError("--mention");
  const target = MENTIONS[kind];
  if (target === undefined) throw usageError(`--mention: ${kind} has no mentions`);
  const wrong = mentions.find((mention) => !target.known.test(mention));
  if (wrong !== undefined)
    throw usageError(`--mention: ${kind} does not know ${quote(wrong)}`, `use ${target.hint}`);
  if (mentions.length > MAX_MENTIONS)
    throw usageError(`--mention: ${mentions.length} are more than ${MAX_MENTIONS}`, "mention a group");
}
