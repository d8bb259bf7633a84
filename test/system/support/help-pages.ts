import { pathOf } from "../../../src/cli/command.js";
import { loadCommandTree } from "../../../src/cli/command-tree.js";
import { runnableCommands } from "../../../src/cli/help/command-page.js";
import { TOPICS } from "../../../src/cli/help/topics.js";

/** Pages with an example that needs a keychain. */
export const NEED_KEYCHAIN: readonly string[] = ["login --help", "targets add --help"];

/** Pages with an example that needs the built program or a service on the network. */
export const NEED_PROGRAM: readonly string[] = [
  ...["feeds add --help", "feeds list --help", "feeds remove --help", "logout --help"],
  ...["service copy --help", "service start --help", "targets test --help", "token --help"],
  "help sharing",
];

/** Arguments that show each page of help that may have examples: `["events", "list", "--help"]`. */
export async function helpPages(): Promise<readonly (readonly string[])[]> {
  const commands = runnableCommands(await loadCommandTree()).map((command) => [
    ...pathOf(command).split(" ").slice(1),
    "--help",
  ]);
  return [["--help"], ...commands, ...TOPICS.map(({ name }) => ["help", name])];
}

/** The examples of a page of help as blocks of a page of docs. */
export function examplesOf(help: string): string {
  const sections = help.split(/^(?=\S)/m).filter((section) => /^(Examples|More examples):$/m.test(section));
  const shown = sections
    .flatMap((section) => [...section.split("\n").slice(1), ""])
    .map((line) => line.slice(2));
  const blocks = shown
    .filter((line) => !line.startsWith("# "))
    .join("\n")
    .split(/\n\n+/);
  return blocks
    .filter((block) => block.trim() !== "")
    .map((block) => `\`\`\`sh\n${block.trim()}\n\`\`\`\n`)
    .join("");
}
