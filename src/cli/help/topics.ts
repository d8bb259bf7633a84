import type { HelpPage } from "./page.js";

/** The pages of help that are not about one command: name, summary, and the text, loaded only when it is shown. */
const PAGES = [
  ["commands", "all commands", "commandsPage"],
  ["repeating", "create, change and delete events that repeat", "repeatingPage"],
  ["sharing", "calendars, members, labels and feeds", "sharingPage"],
  ["flags", "the flags of every command", "flagsPage"],
  ["environment", "environment variables", "environmentPage"],
  ["exit-codes", "what an exit code means, and whether to repeat", "exitCodesPage"],
] as const;

export const TOPICS = PAGES.map(([name, summary, page]) => ({
  name,
  summary,
  load: async (): Promise<HelpPage> => (await import("./topic-pages.js"))[page](),
}));
