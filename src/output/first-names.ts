/** The first of some names, and how many more there are: `Ana, Ben and 3 more`. */
export function firstNames(names: readonly string[], max: number): string {
  const more = names.length - max;
  return names.slice(0, max).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
