import { createHash } from "node:crypto";
import type { Context } from "../../context.js";

/**
 * The key of what is sent once: the same for the same parts, profile and service.
 * @param parts JSON; undefined members do not count
 */
export function ledgerKey(
  { config }: Pick<Context, "config">,
  kind: "digest" | "changes" | "reminder" | "key",
  parts: Readonly<Record<string, unknown>>,
): string {
  const { profile, service } = config.settings();
  const url = service.kind === "local" ? null : service.baseUrl.value;
  const text = JSON.stringify({ profile, url, ...parts });
  return `${kind} ${createHash("sha256").update(text).digest("base64url")}`;
}
