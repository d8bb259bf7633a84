import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "../machine.js";
import type { Ledger } from "../messages/ledger/ledger.js";
import { requireTrustedPlace } from "../system/ownership.js";
import { once } from "./client.js";

type LedgerParts = Pick<
  Machine,
  "clock" | "processes" | "resources" | "signal" | "stateDirectory" | "userId"
>;

/** Opens the ledger when it is first used: nothing else loads it, or SQLite because of it. */
export function createLedgerOpener({
  clock,
  processes,
  resources,
  signal,
  stateDirectory,
  userId,
}: LedgerParts): () => Promise<Ledger> {
  return once(async () => {
    const [{ openLedger }, { createProcessIdentities }] = await Promise.all([
      import("../messages/ledger/ledger.js"),
      import("../system/process-identity.js"),
    ]);
    const ledger = await openLedger({
      path: requirePath({ stateDirectory, userId }),
      clock,
      processes: createProcessIdentities(processes),
      signal,
    });
    resources.add(ledger.close);
    return ledger;
  });
}

/**
 * Opens the ledger if there is one: to create it is for jobs, which may be another user's.
 * @throws CliError configuration where a job could not use it
 */
export async function checkLedger(place: LedgerPlace, open: () => Promise<Ledger>): Promise<void> {
  if (existsSync(requirePath(place))) await open();
}

type LedgerPlace = Pick<LedgerParts, "stateDirectory" | "userId">;

function requirePath({ stateDirectory, userId }: LedgerPlace): string {
  const path = join(stateDirectory(), "ledger.db");
  return requireTrustedPlace({ noun: "ledger", path, variable: "CALCTL_STATE_DIR" }, userId);
}
