import { loadCommandTree } from "../src/cli/command-tree.js";
import { type CommandTree, describeTree } from "../src/cli/completion/command-tree.js";
import { manualPage } from "../src/cli/help/manual.js";
import { COMPLETION_SCRIPTS } from "../src/commands/programs/completion.js";
import { VERSION } from "../src/version.js";

/** The commands and flags, so that completion need not load the commands. */
export async function describeCommands(): Promise<CommandTree> {
  return describeTree(await loadCommandTree());
}

/**
 * What the build writes beside the program, for packages to put in its place: the manual page and the completion scripts.
 * @param date of the manual page, `YYYY-MM-DD`
 * @returns texts by file name
 */
export async function createDocuments(date: string): Promise<Readonly<Record<string, string>>> {
  return {
    "calctl.1": manualPage(await loadCommandTree(), { version: VERSION, date }),
    "completions/calctl.bash": COMPLETION_SCRIPTS.bash,
    "completions/_calctl": COMPLETION_SCRIPTS.zsh,
    "completions/calctl.fish": COMPLETION_SCRIPTS.fish,
    "completions/calctl.ps1": COMPLETION_SCRIPTS.powershell,
  };
}
