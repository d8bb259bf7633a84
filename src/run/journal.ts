import { createHash } from "node:crypto";
import type { Settings } from "../config/settings.js";
import type { Token } from "../secrets/environment-secret.js";
import type { ClientDependencies } from "./client.js";

interface AccountOptions {
  readonly settings: Settings;
  /** Null if there is none. */
  readonly token: () => Promise<Token | null>;
}

/** Whose commands an undo lists; null if the profile keeps no journal. Without a profile, they are those of the token. */
export async function writingAccount(
  { machine }: Pick<ClientDependencies, "machine">,
  { settings, token }: AccountOptions,
): Promise<string | null> {
  if (settings.setting("journal")?.value === "off") return null;
  const { profile, service } = settings;
  const digest = async () =>
    createHash("sha256")
      .update((await token())?.value ?? "")
      .digest("base64url");
  const account = profile || `token:${await digest()}`;
  return `${account} ${service.kind === "local" ? machine.dataDirectory() : service.baseUrl.value}`;
}
