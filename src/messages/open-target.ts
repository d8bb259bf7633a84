import { createHash } from "node:crypto";
import { findNearest } from "../calendar/nearest.js";
import type { WebhookRecord } from "../config/config.js";
import { isName, NAME_HINT } from "../config/profile-store.js";
import {
  CliError,
  configurationError,
  dryRunError,
  emptyValueError,
  missingFlagsError,
  usageError,
} from "../errors.js";
import { parseMailAddresses } from "./sendmail.js";
import type { Target } from "./target.js";
import { TARGET_KINDS, type TargetKind } from "./target-kinds.js";
import type { PostToWebhook, WebhookAddress } from "./webhooks/post.js";
import type { WebhookStorage } from "./webhooks/webhook-storage.js";
import { checkChat, isLikeUrl, SEEN_BY_OTHERS } from "./webhooks/webhook-url.js";

export interface TargetRequest {
  /** A saved name; with `as: "mail"` also addresses; undefined for the webhook of the environment. */
  readonly to?: string | undefined;
  /** The flag that names it, for messages; `--to` by default. */
  readonly flag?: "--to" | "--post";
  /** What it takes. Required without a saved name; with one, it must agree. */
  readonly as?: TargetKind | undefined;
  /** Of telegram; the saved one by default. */
  readonly chat?: string | undefined;
}

export interface EnvironmentUrl extends Pick<WebhookAddress, "renewHint"> {
  readonly text: string;
  readonly source: string;
}

export interface WebhooksParts {
  readonly storage: WebhookStorage;
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
  parts: WebhooksParts,
): Promise<Target> {
  const { to, as, flag = "--to" } = request;
  if (as === "mail" && (to === undefined || to.includes("@"))) {
    if (to === undefined) throw missingFlagsError([`${flag} ADDRESS`]);
    checkChat("mail", request.chat);
    return mailTarget(parts, parseMailAddresses(to, flag));
  }
  return to === undefined
    ? openEnvironment(request, readUrl, parts)
    : openSaved({ ...request, to }, readUrl, parts);
}

/** Runs a check of what was saved or is in the environment: what is wrong there is exit 10. */
function asConfiguration<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof CliError && error.code === "usage")
      throw configurationError(error.message, { hint: error.hint });
    throw error;
  }
}

/** Checks a URL, and masks it from now on. */
type ReadUrl = (text: string, kind: TargetKind, source: string) => string;

async function openEnvironment(
  { as, chat, flag = "--to" }: TargetRequest,
  readUrl: ReadUrl,
  parts: WebhooksParts,
): Promise<Target> {
  const found = await parts.environmentUrl();
  if (found === null) {
    // What would be sent does not depend on the URL.
    if (parts.dryRun && as !== undefined) return webhookTarget(parts, { ...NO_WEBHOOK, kind: as, chat });
    const format = as === undefined ? ", and add --as" : "";
    throw missingFlagsError([flag], `or set CALCTL_WEBHOOK_URL or CALCTL_WEBHOOK_URL_FILE${format}`);
  }
  const { text, source, renewHint } = found;
  if (as === undefined) {
    throw usageError(`${source} needs --as`, `message formats: ${TARGET_KINDS.join(", ")}`);
  }
  const url = asConfiguration(() => readUrl(text, as, source));
  const id = withChat(`url:${createHash("sha256").update(url).digest("hex").slice(0, 32)}`, chat);
  return webhookTarget(parts, { kind: as, name: source, id, chat, url, renewHint });
}

async function openSaved(
  { to: name, as, chat }: TargetRequest & { readonly to: string },
  readUrl: ReadUrl,
  parts: WebhooksParts,
): Promise<Target> {
  const record = findRecord(parts.storage, name);
  const kind = TARGET_KINDS.find((known) => known === record.as);
  if (kind === undefined) {
    throw configurationError(
      `webhook ${name} is for "${record.as}", which this version does not know (${TARGET_KINDS.join(", ")})`,
      { hint: `add it again: calctl webhooks add ${name} --as KIND --replace` },
    );
  }
  if (as !== undefined && as !== kind) {
    throw usageError(`--as ${as}: webhook ${name} is for ${kind}`, "leave --as out for a saved webhook");
  }
  if (kind === "mail") {
    checkChat(kind, chat);
    return mailTarget(
      parts,
      asConfiguration(() => parseMailAddresses(record.to ?? "", name)),
    );
  }
  const source = `webhook ${name}`;
  const stored = parts.dryRun ? null : await parts.storage.loadUrl(name, record);
  const url = stored === null ? null : asConfiguration(() => readUrl(stored, kind, source));
  const renewHint = `create a new one, and run calctl webhooks add ${name} --as ${kind} --replace`;
  const id = withChat(`webhook:${name}`, chat);
  return webhookTarget(parts, { kind, name: source, id, chat: chat ?? record.chat, url, renewHint });
}

/** The URL of a bot is the same for all its chats. */
function withChat(id: string, chat: string | undefined): string {
  return chat === undefined ? id : `${id} ${chat}`;
}

const NO_WEBHOOK = { name: "no webhook", id: "", url: null, renewHint: "" };

interface WebhookTarget extends Pick<Target, "kind" | "name" | "id"> {
  readonly chat: string | undefined;
  /** Null with `--dry-run`. */
  readonly url: string | null;
  readonly renewHint: string;
}

function webhookTarget(
  { post, check, dryRun }: WebhooksParts,
  { kind, name, id, chat, url, renewHint }: WebhookTarget,
): Target {
  checkChat(kind, chat);
  const target = { kind, name, id, ...(chat === undefined ? {} : { chat }) };
  if (url === null || dryRun) return { ...target, ...WITHOUT_SENDING };
  const webhook = { name, url: kind === "discord" ? confirmed(url) : url, renewHint };
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

function mailTarget({ sendMail, checkMail, dryRun }: WebhooksParts, to: string): Target {
  const target = { kind: "mail", name: to, id: `mail:${to}`, to } as const;
  if (dryRun) return { ...target, ...WITHOUT_SENDING };
  return { ...target, deliver: ({ body }) => sendMail(body), check: async () => checkMail() };
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
  if (isName(name)) return;
  if (name === "") throw emptyValueError("the name of the webhook");
  if (isLikeUrl(name)) {
    throw usageError("the name of a webhook is expected, not its URL", SEEN_BY_OTHERS);
  }
  throw usageError(`"${name}" is not a valid name of a webhook`, NAME_HINT);
}

/** @throws CliError not_found with the names that there are */
export function findRecord(storage: WebhookStorage, name: string): WebhookRecord {
  const records = storage.records();
  const record = records.get(name);
  if (record !== undefined) return record;
  checkName(name);
  const names = [...records.keys()].sort();
  const [nearest] = findNearest(name, names, (each) => each);
  const saved =
    names.length > 0 ? `webhooks: ${names.join(", ")}` : "save one: calctl webhooks add NAME --as KIND";
  const address = name.includes("@") ? "for a mail address add --as mail" : undefined;
  throw new CliError("not_found", `there is no webhook "${name}"`, {
    hint: nearest === undefined ? (address ?? saved) : `did you mean ${nearest}?`,
    details: { candidates: names.map((each) => ({ id: each, name: each })) },
  });
}
