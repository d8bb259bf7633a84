import { createHash } from "node:crypto";
import { cacheOwnerOf } from "../cache/cache-file.js";
import type { Settings } from "../config/settings.js";
import type { Token } from "../secrets/environment-secret.js";
import type { ClientDependencies } from "./client.js";

interface JournalAccess {
  readonly settings: Settings;
  /** Null if there is none. */
  readonly token: () => Promise<Token | null>;
  readonly note: (text: string) => void;
}

/** Null if the profile keeps no journal. Without a profile, the journal is that of the token. */
export async function openJournal(
  { machine, run }: ClientDependencies,
  { settings, token, note }: JournalAccess,
) {
  if (settings.setting("journal")?.value === "off") return null;
  const { createJournal } = await import("../journal/journal.js");
  const { profile, service } = cacheOwnerOf(settings);
  const digest = async () =>
    createHash("sha256")
      .update((await token())?.value ?? "")
      .digest("base64url");
  const account = profile || `token:${await digest()}`;
  const place = settings.service.kind === "local" ? machine.dataDirectory() : service;
  const { now } = machine.clock;
  const { command, dryRun } = run;
  return createJournal({ ...machine, owner: `${account} ${place}`, command, dryRun, now, note });
}
