import { randomBytes } from "node:crypto";
import { isJsonObject, parseJson } from "../../../contract/json.js";
import type { ProcessIdentities, ProcessIdentity } from "../../system/process-identity.js";

/** One attempt of one process. */
export interface Owner extends ProcessIdentity {
  /** Tells the attempts of a process apart. */
  readonly attempt: string;
}

/** A new attempt of this process, as the ledger keeps it. */
export function createOwner({ self }: ProcessIdentities): string {
  const owner: Owner = { ...self, attempt: randomBytes(8).toString("hex") };
  return JSON.stringify(owner);
}

/** Null for what this version does not understand: its process counts as ended. */
export function readOwner(text: unknown): Owner | null {
  const owner = parseJson(String(text));
  if (!isJsonObject(owner)) return null;
  const { pid, started = null, host, boot, attempt } = owner;
  const isWhole = typeof pid === "number" && (started === null || typeof started === "string");
  if (!isWhole || typeof host !== "string" || typeof boot !== "string") return null;
  return { pid, started, host, boot, attempt: String(attempt) };
}
