import { manualPage } from "../src/help/manual.js";
import { loadCommandTree } from "../src/program/command-tree.js";
import { VERSION } from "../src/version.js";

/** The manual page, which the build writes. @param date `YYYY-MM-DD` */
export async function createManual(date: string): Promise<string> {
  return manualPage(await loadCommandTree(), { version: VERSION, date });
}
