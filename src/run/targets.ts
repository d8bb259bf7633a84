import type { PostToWebhook, WebhookAddress } from "../delivery/post.js";
import { createTargets, readEnvironmentUrl, type Targets } from "../delivery/saved-targets.js";
import { findSendmail, sendMail } from "../delivery/sendmail.js";
import { createTargetStorage } from "../delivery/target-storage.js";
import { hideUrl } from "../delivery/webhook-url.js";
import { once } from "../system/clock.js";
import { readOnlyIf } from "../system/read-only.js";
import { type AuthOptions, createStoreOpener } from "./auth.js";
import { type ClientDependencies, createSenderOptions, openConnection, openTransport } from "./client.js";

export type TargetOptions = Pick<AuthOptions, "interactive" | "warn" | "note">;

/** The targets of messages: saved targets, that of the environment, and mail. */
export function composeTargets(
  client: ClientDependencies,
  { interactive, warn, note }: TargetOptions,
): Targets {
  const { machine, flags } = client;
  const { env, configFile, signal, redactor, userId } = machine;
  const { platform } = machine.process;
  const openStore = createStoreOpener(machine, { purpose: "webhook_url", interactive, warn, signal });
  const targets = createTargets({
    storage: createTargetStorage({ configFile, openStore, warn, signal }),
    environmentUrl: () => readEnvironmentUrl(env, { signal: signal(), userId, note }),
    post: (webhook) => {
      // One for all messages of a run: they share connection and rate limit.
      const post = once(() => openPost(webhook, client));
      return async (body) => (await post())(body);
    },
    async check(webhook) {
      const { checkWebhook } = await import("../delivery/post.js");
      await checkWebhook(webhook, (url) => openConnection(client, url));
    },
    checkMail: () => void findSendmail({ env, platform }),
    sendMail: (message) => sendMail(message, { env, platform, signal, timeout: flags.timeout }),
    addSecret: redactor.add,
    dryRun: flags.dryRun,
  });
  // Their targets refuse to deliver by themselves.
  return readOnlyIf(flags.dryRun, targets, ["list", "open"]);
}

/** Larger than any response of a webhook (bytes). */
const MAX_RESPONSE = 1024 * 1024;

/** Loads the HTTP layer. A webhook has a rate limit of its own. */
async function openPost(webhook: WebhookAddress, client: ClientDependencies): Promise<PostToWebhook> {
  const account = { token: webhook.url, origin: new URL(webhook.url).origin };
  const [{ createWebhookPost }, transport, options] = await Promise.all([
    import("../delivery/post.js"),
    openTransport(client, { maxResponseSize: MAX_RESPONSE, nameUrl: hideUrl }),
    createSenderOptions(client, account),
  ]);
  return createWebhookPost(webhook, { ...options, transport, mask: client.machine.redactor.mask });
}
