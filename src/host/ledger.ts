import { join } from "node:path";
import type { Ledger } from "../ledger/ledger.js";
import { requireTrustedPlace } from "../system/ownership.js";
import { once } from "./client.js";
import type { HostParts } from "./parts.js";

/** Opens the ledger when it is first used: nothing else loads it, or SQLite because of it. */
export function createLedgerOpener({
  clock,
  processes,
  resources,
  signal,
  stateDirectory,
  userId,
}: Pick<
  HostParts,
  "clock" | "processes" | "resources" | "signal" | "stateDirectory" | "userId"
>): () => Promise<Ledger> {
  return once(async () => {
    const [{ openLedger }, { createProcessIdentities }] = await Promise.all([
      import("../ledger/ledger.js"),
      import("../system/process-identity.js"),
    ]);
    const path = join(stateDirectory(), "ledger.db");
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
