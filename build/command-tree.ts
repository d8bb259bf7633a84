import { loadCommandTree } from "../src/cli/command-tree.js";
import { describeTree } from "../src/cli/completion/command-tree.js";

/** Prints the commands and flags as JSON. Run by the build, so that completion need not load the commands. */
async function print(): Promise<void> {
  process.stdout.write(JSON.stringify(describeTree(await loadCommandTree())));
}

void print();
