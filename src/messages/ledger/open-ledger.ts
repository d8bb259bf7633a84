import type { Machine } from "../../machine.js";
import { type Ledger, openLedger } from "./ledger.js";
import { ledgerPath } from "./ledger-path.js";

/** Opens the ledger of this machine until the end of the run. @throws CliError configuration */
export async function openMachineLedger(machine: Machine): Promise<Ledger> {
  const { clock, process, resources, signal } = machine;
  const ledger = await openLedger({ path: ledgerPath(machine), clock, process, signal });
  resources.add(ledger.close);
  return ledger;
}
