import { randomBytes } from "node:crypto";
import { isJsonObject, parseJson } from "../../../contract/json.js";
import { identityOf, type ProcessIdentity, type ProcessSource } from "../../system/process-identity.js";

/** One attempt of one process. */
export interface Owner extends ProcessIdentity {
  /** Tells the attempts of a process apart. */
  readonly attempt: string;
}

/** A new attempt of this process, as the ledger keeps it. */
export function createOwner(process: ProcessSource): string {
  const owner: Owner = { ...identityOf(process), attempt: randomBytes(8).toString("hex") };
  return JSON.stringify(owner);
}

/** Null for what this version does not understand: its process counts as ended. */
export function readOwner(text: unknown): Owner | null {
  const owner = parseJson(String(text));
  if (!isJsonObject(owner) || typeof owner["pid"] !== "number") return null;
  const { pid, run, attempt } = owner;
  return { pid, run: String(run), attempt: String(attempt) };
}
