import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Ledger } from "../ledger/ledger.js";
import { requireTrustedPlace } from "../system/ownership.js";
import { once } from "./client.js";
import type { HostParts } from "./parts.js";

type LedgerParts = Pick<
  HostParts,
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
      import("../ledger/ledger.js"),
      import("../system/process-identity.js"),
    ]);
    const path = pathOf(stateDirectory);
    const ledger = await openLedger({
      path: requireTrustedPlace({ noun: "ledger", path, variable: "CALCTL_STATE_DIR" }, userId),
      clock,
      processes: createProcessIdentities(processes),
      signal,
    });
    resources.add(ledger.close);
    return ledger;
  });
}

/** Opens the ledger if there is one: to create it is for jobs, which may be another user's. */
export async function checkLedger(
  { stateDirectory }: Pick<LedgerParts, "stateDirectory">,
  open: () => Promise<Ledger>,
): Promise<void> {
  if (existsSync(pathOf(stateDirectory))) await open();
}

function pathOf(stateDirectory: LedgerParts["stateDirectory"]): string {
  return join(stateDirectory(), "ledger.db");
}
