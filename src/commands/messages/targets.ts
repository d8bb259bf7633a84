import { type Command, Option } from "commander";
import { addAction, addCommand, describeCommand, type RunOf, requireSubcommand } from "../../cli/command.js";
import { completeValues, neededChoice } from "../../cli/missing-values.js";
import { checkName } from "../../delivery/open-target.js";
import type { NewTarget } from "../../delivery/saved-targets.js";
import { parseMailAddresses } from "../../delivery/sendmail.js";
import { TARGET_KINDS, type TargetKind, type TargetPlace } from "../../delivery/target.js";
import { checkGivenPlace, parseWebhookUrl, SEEN_BY_OTHERS } from "../../delivery/webhook-url.js";
import { usageError } from "../../errors.js";
import type { View } from "../../output/view.js";
import type { Run } from "../../run/run.js";
import { createTextMessage } from "./message.js";
import { postMessage } from "./post-target.js";

export function registerTargets(command: Command, runOf: RunOf): void {
  requireSubcommand(command);
  const add = addCommand(command, "add [name]", "save a chat or an email address as a target")
    .addOption(new Option("--as <kind>", "message format").choices(TARGET_KINDS))
    .option("--chat <chat>", "for telegram: the chat's id, or @ and the channel's name")
    .option("--topic <id>", "for telegram: the id of a topic in the chat")
    .option("--to <address>", "for mail: one or more addresses, separated by commas")
    .option("--from <address>", "for mail: the sender (default: set by the mail program)")
    .option("--bcc <address>", "for mail: blind copies, separated by commas")
    .option("--url-file <file>", "file with the URL, - for stdin (default: prompt)")
    .option("--replace", "replace a target that has this name")
    .option("--insecure-storage", "store the URL unencrypted in a file instead of the keychain");
  describeCommand(add, {
    examples: () => [
      ["A Slack channel, with the webhook URL from a file", "calctl targets add team --as slack <url-file"],
      ["For cron, which has no keychain", "calctl targets add ops --as slack --insecure-storage <url-file"],
      ["Email, sent by the local sendmail", "calctl targets add me --as mail --to ana@example.org"],
    ],
  });
  // The message of too many arguments would not say what to do about a URL among them.
  add.allowExcessArguments().hook("preAction", ({ args: [, excess] }) => {
    if (excess !== undefined) throw usageError("only the name is expected, not the URL", SEEN_BY_OTHERS);
  });
  addAction(add, runOf, runTargetsAdd);
  const list = addCommand(command, "list", "list targets");
  describeCommand(list, {
    prints: { view: targetView, count: "list" },
    examples: () => [
      ["All targets", "calctl targets list"],
      ["Their names, for a script", "calctl targets list --fields name"],
    ],
  });
  addAction(list, runOf, runTargetsList);
  const remove = addCommand(command, "remove [name]", "remove a target and its URL");
  describeCommand(remove, {
    examples: () => [["Remove a target and its URL", "calctl targets remove team"]],
  });
  addAction(remove, runOf, runTargetsRemove);
  const test = addCommand(command, "test [name]", "post a test message");
  describeCommand(test, {
    examples: () => [
      ["Post a test message", "calctl targets test team"],
      ["Show what would be posted", "calctl targets test team --dry-run"],
    ],
  });
  addAction(test, runOf, runTargetsTest);
}

interface NameArgument {
  readonly name: string;
}

/** Flags as they were typed; undefined where they were not. */
interface AddOptions extends Partial<NameArgument>, TargetPlace {
  readonly as?: TargetKind;
  readonly urlFile?: string;
  readonly replace?: boolean;
  readonly insecureStorage?: boolean;
}

async function runTargetsAdd(run: Run, options: AddOptions, command: Command): Promise<void> {
  const { replace = false, insecureStorage, topic, from, bcc } = options;
  checkGiven(options);
  const { name, as, chat, to, urlFile } = await completeFlags(run, options, command);
  const targets = await run.targets();
  const readUrl = () => readSecret(run, as, urlFile);
  const place = { chat, topic, to, from, bcc };
  await targets.add({ name, as, ...place, replace, insecureStorage, readUrl });
  run.output.note(`saved target ${name}`);
  if (insecureStorage === true) run.output.note("its URL is stored unencrypted in a file");
}

/** Before anything is asked. @throws CliError usage */
function checkGiven({ name, as, to, from, bcc, urlFile, ...place }: AddOptions): void {
  if (urlFile?.includes("://") === true) {
    // Not repeated: it may be the URL of the target.
    throw usageError("--url-file: the name of a file is expected, not a URL", "or - for stdin");
  }
  if (name !== undefined) checkName(name);
  if (as !== undefined) checkGivenPlace(as, place);
  if (as === "mail" && urlFile !== undefined) throw usageError("--url-file: mail has no URL");
  for (const [flag, addresses] of Object.entries({ to, from, bcc }))
    if (addresses !== undefined) parseMailAddresses(addresses, `--${flag}`);
}

interface CompleteFlags extends NameArgument, Pick<NewTarget, "as" | "chat" | "to"> {
  /** Null for a prompt or stdin. */
  readonly urlFile: string | null;
}

function completeFlags({ terminal }: Run, options: AddOptions, command: Command): Promise<CompleteFlags> {
  const canRead = terminal.prompt.available || !terminal.input.isTerminal;
  return completeValues<CompleteFlags>(
    terminal.prompt,
    {
      name: {
        name: "NAME",
        given: options.name,
        ask: () => terminal.prompt.text("Name:", { check: checkName }),
      },
      as: { name: "--as", given: options.as, ask: () => terminal.prompt.choose("Message format:", KINDS) },
      chat: {
        name: "--chat",
        given: options.chat,
        ask: () => terminal.prompt.text("Id of the chat:", CHAT),
        when: ({ as }) => as === "telegram",
      },
      to: {
        name: "--to",
        given: options.to,
        ask: () => terminal.prompt.text("Mail address:", ADDRESS),
        when: ({ as }) => as === "mail",
      },
      urlFile: {
        name: "--url-file",
        given: options.urlFile ?? (canRead ? null : undefined),
        // When the target is saved, after all checks.
        ask: async () => null,
        when: ({ as }) => as !== "mail",
      },
    },
    { command, hint: options.as === undefined ? `--as is one of ${TARGET_KINDS.join(", ")}` : undefined },
  );
}

const CHAT = { check: (chat: string) => checkGivenPlace("telegram", { chat }) };
const ADDRESS = { check: (answer: string) => void parseMailAddresses(answer, "--to") };
const KINDS = TARGET_KINDS.map((kind) => ({ name: kind, value: kind }));

/** From a file, a prompt without echo, or stdin. */
async function readSecret({ terminal }: Run, as: TargetKind, urlFile: string | null) {
  if (urlFile !== null)
    return { text: await terminal.input.text(urlFile, "--url-file"), source: "--url-file" };
  const noun = as === "telegram" ? "Bot token" : "URL of the webhook";
  if (terminal.prompt.available) {
    const check = async (answer: string) => void parseWebhookUrl(answer.trim(), as, noun);
    return { text: (await terminal.prompt.password(noun, { check })).trim(), source: noun };
  }
  return { text: await terminal.input.text("-", "stdin"), source: "stdin" };
}

async function runTargetsList(run: Run): Promise<void> {
  const output = run.output.of(targetView);
  const targets = (await run.targets()).list();
  if (targets.length === 0 && run.terminal.isTerminal) run.output.note("no targets");
  await output.print(targets);
}

async function runTargetsRemove(run: Run, options: Partial<NameArgument>, command: Command): Promise<void> {
  const name = await chooseTarget(run, options, command);
  await (await run.targets()).remove(name);
  run.output.note(`removed target ${name}`);
}

/** Posts one line that says it is a test. */
async function runTargetsTest(
  run: Run & Parameters<typeof postMessage>[0],
  options: Partial<NameArgument>,
  command: Command,
): Promise<void> {
  const name = await chooseTarget(run, options, command);
  const target = await (await run.targets()).open({ to: name });
  const message = createTextMessage(`This is a test of calctl (target ${name})`, "");
  await postMessage(run, message, { target });
}

/** The name of the argument, or of the target that is picked. */
async function chooseTarget(
  run: Run,
  { name: given }: Partial<NameArgument>,
  command: Command,
): Promise<string> {
  const list = async () =>
    (await run.targets()).list().map(({ name, as }) => ({ value: name, name, description: as }));
  const needed = { name: neededChoice(run, { name: "NAME", given, noun: "Target", list }) };
  return (await completeValues(run.terminal.prompt, needed, { command })).name;
}

export interface TargetRow {
  readonly name: string;
  readonly as: string;
}

/** The targets of `targets list`, without their URLs, which are secret. */
export const targetView: View<TargetRow> = {
  noun: "target",
  shape: "target",
  keys: {
    name: { type: "string", minWidth: 8 },
    as: { type: "string", about: "message format", header: "Format" },
  },
  tsv: ["name", "as"],
};
