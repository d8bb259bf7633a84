import { isJsonObject } from "../../../contract/json.js";
import { CliError } from "../../errors.js";
import { willBeRepeated } from "../ledger/attempts.js";
import type { Payload } from "../payload.js";
import type { TargetKind } from "../target-kinds.js";
import type { PostToWebhook, WebhookAddress } from "./post.js";
import { RefusedError } from "./response-body.js";

/** How a platform changes a message in place. */
interface EditProtocol {
  /** The id of a new message, in the JSON of the response; null where it has none. */
  readonly idIn: (json: unknown) => string | null;
  /** @param webhook where messages are posted to */
  readonly address: (webhook: WebhookAddress, postedId: string) => WebhookAddress;
  /** What the body has beside that of a new message. */
  readonly fields?: (postedId: string) => Readonly<Record<string, unknown>>;
  /** Whether a message that was not changed is there, since it was this one before; null for another failure. */
  readonly isThere: (failure: CliError) => boolean | null;
}

const EDITS: Readonly<Partial<Record<TargetKind, EditProtocol>>> = {
  /** @see https://discord.com/developers/docs/resources/webhook#edit-webhook-message */
  discord: {
    idIn: (json) => asId(isJsonObject(json) ? json["id"] : null),
    address: (webhook, postedId) => {
      const url = new URL(webhook.url);
      url.pathname += `/messages/${postedId}`;
      url.searchParams.delete("wait");
      return { ...webhook, method: "PATCH", url: url.href };
    },
    // Another 404 is of a webhook that is gone, or of a gateway.
    isThere: (failure) => (/^unknown message$/i.test(reasonOf(failure)) ? false : null),
  },
  /** Its reasons are texts alone. @see https://core.telegram.org/bots/api#editmessagetext */
  telegram: {
    idIn: (json) => {
      const message = isJsonObject(json) ? json["result"] : null;
      return asId(isJsonObject(message) ? message["message_id"] : null);
    },
    address: (webhook) => ({ ...webhook, url: webhook.url.replace(/sendMessage$/, "editMessageText") }),
    // A message stays in its topic.
    fields: (postedId) => ({ message_id: Number(postedId), message_thread_id: undefined }),
    isThere(failure) {
      const reason = reasonOf(failure);
      if (/message is not modified/i.test(reason)) return true;
      return /message to edit not found/i.test(reason) ? false : null;
    },
  },
  /** The channel is in the body anyway. @see https://docs.slack.dev/reference/methods/chat.update */
  "slack-bot": {
    idIn: (json) => asId(isJsonObject(json) ? json["ts"] : null),
    address: (webhook) => ({ ...webhook, url: webhook.url.replace(/postMessage$/, "update") }),
    fields: (ts) => ({ ts, unfurl_links: undefined, unfurl_media: undefined }),
    isThere: (failure) => (reasonOf(failure) === "message_not_found" ? false : null),
  },
};

/** Empty without one. */
function reasonOf(failure: CliError): string {
  return failure instanceof RefusedError ? (failure.reason ?? "") : "";
}

function asId(value: unknown): string | null {
  return /^\d{1,25}(?:\.\d{1,10})?$/.test(String(value)) ? String(value) : null;
}

/** The id of a message that was posted; null where it cannot be changed, or the response does not say it. */
export function findPostedId(kind: TargetKind, json: unknown): string | null {
  return EDITS[kind]?.idIn(json) ?? null;
}

interface Edit {
  readonly kind: TargetKind;
  readonly webhook: WebhookAddress;
  readonly post: (webhook: WebhookAddress) => PostToWebhook;
}

/** Makes a message that was posted another one. @returns whether it is still there. @throws CliError, see `Target.edit` */
export async function editPosted(
  { kind, webhook, post }: Edit,
  postedId: string,
  payload: Payload,
): Promise<boolean> {
  const edits = EDITS[kind];
  if (edits === undefined) return false;
  try {
    await post(edits.address(webhook, postedId))(withFields(payload, edits.fields?.(postedId)));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const isThere = edits.isThere(error);
    if (isThere === null) throw error.code === "outcome_unknown" ? willBeRepeated(error) : error;
    return isThere;
  }
  return true;
}

function withFields(payload: Payload, fields: Readonly<Record<string, unknown>> | undefined): Payload {
  if (fields === undefined) return payload;
  const { body, smaller } = payload;
  return {
    ...payload,
    body: JSON.stringify({ ...JSON.parse(body), ...fields }),
    ...(smaller !== undefined && { smaller: () => withFields(smaller(), fields) }),
  };
}
