import { findNearest } from "../output/words.js";

/** Words for the same action, ours and those of other tools. */
const SYNONYMS = [
  ["list", "ls"],
  ["get", "show", "view", "cat", "read"],
  ["create", "add", "new", "insert"],
  ["update", "edit", "change", "modify", "set"],
  ["delete", "remove", "rm", "del"],
] as const;

/** Whether a word asks for a list. */
export function isListWord(word: string): boolean {
  return SYNONYMS[0].some((each) => each === word);
}

/** Other names of top-level commands. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  auth: "login",
  signin: "login",
  signout: "logout",
  me: "whoami",
  user: "whoami",
  cal: "calendars",
  today: "agenda",
  version: "--version",
  serve: "service start",
  export: "events list -o ics",
  search: "events list --search",
  find: "events list --search",
  mv: "events move",
  move: "events move",
  cp: "events copy",
  copy: "events copy",
  watch: "events watch",
  changes: "events changes",
  tomorrow: "agenda tomorrow",
  share: "feeds add, or calctl service members add",
  users: "members, or calctl service users",
  server: "service start",
};

/**
 * The command that a person probably meant, after the name of the group; undefined if none is near.
 * @param all the names of the group's commands
 * @param isTop whether the group is the program itself, where an action is one on events
 */
export function suggestCommand(word: string, all: readonly string[], isTop: boolean): string | undefined {
  // An alias that help does not list.
  const names = all.filter((name) => name !== "rm");
  const action: readonly string[] | undefined = SYNONYMS.find((words) => words.some((each) => each === word));
  if (action !== undefined) {
    const own = names.find((name) => action.includes(name));
    if (own !== undefined) return own;
    if (isTop) return `events ${action[0]}`;
  }
  if (isTop && Object.hasOwn(OTHER_NAMES, word)) return OTHER_NAMES[word];
  return findNearest(word, names, (name) => name)[0];
}
