import { usageError } from "../errors.js";
import type { HelpPage } from "./help/page.js";
import { suggestCommand } from "./suggestion.js";

/** Ends the parsing of `calctl help WORDS`, whose other flags are parsed. */
export class HelpRequest extends Error {
  override readonly name = "HelpRequest";
  /** What is after `help`, without the global flags. */
  readonly words: readonly string[];

  constructor(words: readonly string[]) {
    super("help was asked for");
    this.words = words;
  }
}

/**
 * The page of a topic; null for the name of a command, a flag or nothing.
 * @param commands names of the commands at the top
 * @throws CliError usage for a word that is neither a topic nor a command
 */
export async function findTopic(word = "-", commands: readonly string[]): Promise<HelpPage | null> {
  if (word.startsWith("-")) return null;
  const { TOPICS } = await import("./help/topics.js");
  const topic = TOPICS.find(({ name }) => name === word);
  if (topic !== undefined) return (await topic.load())();
  if (commands.includes(word)) return null;
  const topics = TOPICS.map(({ name }) => name);
  const suggestion = suggestCommand(word, [...commands, ...topics], true);
  throw usageError(
    `there is no command or help topic "${word}"`,
    suggestion === undefined ? `topics: ${topics.join(", ")}` : `did you mean calctl help ${suggestion}?`,
  );
}
