/** Words for the same action, ours and those of other tools. */
const SYNONYMS = [
  ["list", "ls"],
  ["get", "show", "view", "cat", "read"],
  ["create", "add", "new", "insert"],
  ["update", "edit", "change", "modify", "set"],
  ["delete", "remove", "rm", "del"],
] as const;

/** Other names of top-level commands. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  auth: "login",
  signin: "login",
  signout: "logout",
  me: "whoami",
  user: "whoami",
  cal: "calendars",
  today: "agenda",
  week: "agenda",
  serve: "service start",
  server: "service start",
};

/**
 * The command that a person probably meant, after the name of the group; undefined if none is near.
 * @param names of the group's commands
 * @param isTop whether the group is the program itself, where an action is one on events
 */
export function suggestCommand(word: string, names: readonly string[], isTop: boolean): string | undefined {
  const action: readonly string[] | undefined = SYNONYMS.find((words) => words.some((each) => each === word));
  if (action !== undefined) {
    const own = names.find((name) => action.includes(name));
    if (own !== undefined) return own;
    if (isTop) return `events ${action[0]}`;
  }
  if (isTop && Object.hasOwn(OTHER_NAMES, word)) return OTHER_NAMES[word];
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(word, name) }))
    .filter(({ name, distance }) => distance <= Math.ceil(name.length / 3))
    .sort((one, other) => one.distance - other.distance);
  return nearest?.name;
}

/** How many letters must be inserted, removed, replaced or swapped with their neighbor. */
function editDistance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + Number(!same),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
