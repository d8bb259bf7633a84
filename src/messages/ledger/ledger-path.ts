import { join } from "node:path";
import type { Machine } from "../../machine.js";
import { requireOwn } from "../../system/ownership.js";

/** The file of the ledger. @throws CliError configuration where others could have chosen it */
export function ledgerPath({ stateDirectory, userId }: Pick<Machine, "stateDirectory" | "userId">): string {
  const path = join(stateDirectory(), "ledger.db");
  return requireOwn({ noun: "ledger", path, variable: "CALCTL_STATE_DIR" }, userId, { isShared: true });
}
