import { createHash } from "node:crypto";
import type { ServiceSelection } from "../../config/settings.js";

/**
 * The key of what is sent once: the same for the same parts, profile and service.
 * @param parts JSON; undefined members do not count
 */
export function ledgerKey(
  { profile, service }: Pick<ServiceSelection, "profile" | "service">,
  kind: "digest" | "changes" | "reminder",
  parts: Readonly<Record<string, unknown>>,
): string {
  const url = service.kind === "local" ? null : service.baseUrl.value;
  const text = JSON.stringify({ profile, url, ...parts });
  return `${kind} ${createHash("sha256").update(text).digest("base64url")}`;
}
