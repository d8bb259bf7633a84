import { join } from "node:path";
import type { Ledger } from "../ledger/ledger.js";
import { once } from "./client.js";
import type { HostParts } from "./parts.js";

/** Opens the ledger when it is first used: nothing else loads it, or SQLite because of it. */
export function createLedgerOpener({
  clock,
  processes,
  resources,
  signal,
  stateDirectory,
}: Pick<
  HostParts,
  "clock" | "processes" | "resources" | "signal" | "stateDirectory"
>): () => Promise<Ledger> {
  return once(async () => {
    const [{ openLedger }, { createProcessIdentities }] = await Promise.all([
      import("../ledger/ledger.js"),
      import("../system/process-identity.js"),
    ]);
    const ledger = await openLedger({
      path: join(stateDirectory(), "ledger.db"),
      clock,
      processes: createProcessIdentities(processes),
      signal,
    });
    resources.add(ledger.close);
    return ledger;
  });
}
