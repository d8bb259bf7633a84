import { homedir } from "node:os";
import { complete } from "../../src/cli/completion/candidates.js";
import type { CommandTree } from "../../src/cli/completion/command-tree.js";
import { readKnownValues } from "../../src/cli/completion/known-values.js";
import { REPLIES } from "../../src/cli/completion/reply.js";
import { currentUser } from "./cache-folder.js";

/** Defined by the build: the commands and flags of the program as JSON. */
declare const __COMMAND_TREE__: string;

/** Answers the completion script of a shell. Whatever is wrong, it completes nothing and fails silently. */
async function answer([shell = "", ...args]: readonly string[]): Promise<void> {
  // The reader may be gone.
  process.stdout.on("error", () => undefined);
  try {
    const root: CommandTree = JSON.parse(__COMMAND_TREE__);
    const { env, platform } = process;
    const known = readKnownValues({ env, platform, home: homedir, userId: currentUser(), now: Date.now });
    process.stdout.write((await REPLIES[shell]?.(args, (words) => complete(root, words, known))) ?? "");
  } catch {
    // A message would land in the line that is being typed.
  }
}

void answer(process.argv.slice(3));
