/**
 * What others sent, in a size that can be reported. A report must not fail of its own contents: deep nesting
 * overflows the stack of JSON.stringify, and nobody reads megabytes.
 */

/** Objects and lists within each other. */
const DEPTH_MAX = 32;
/** UTF-16 code units of all texts and names together; each value counts as a few more. */
const SIZE_MAX = 1024 * 1024;
/** What a value takes besides its text. */
const VALUE_SIZE = 8;

/** UTF-16 code units of one sentence. */
const SENTENCE_MAX = 64 * 1024;

/**
 * Any JSON value, with `…` in place of what is nested too deep or beyond a mebibyte; the rest is as it was. A list or
 * object that is cut says how much is missing in one more entry.
 */
export function boundValue(value: unknown): unknown {
  return boundPart(value, { left: SIZE_MAX }, DEPTH_MAX);
}

/** A sentence, cut with `…` where it is longer than anyone reads. */
export function boundText(text: string, max = SENTENCE_MAX): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, "")}…`;
}

interface Budget {
  left: number;
}

function boundPart(value: unknown, budget: Budget, depth: number): unknown {
  budget.left -= VALUE_SIZE;
  if (typeof value === "string") return spendText(value, budget);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return "…";
  if (Array.isArray(value)) {
    const kept = takeWhileLeft(value, budget, (item: unknown) => boundPart(item, budget, depth - 1));
    return kept.length === value.length ? kept : [...kept, `… ${value.length - kept.length} more`];
  }
  const members = Object.entries(value);
  const kept = takeWhileLeft(members, budget, ([name, member]): [string, unknown] => [
    spendText(name, budget),
    boundPart(member, budget, depth - 1),
  ]);
  const missing = members.length - kept.length;
  // A member called `__proto__` stays one: fromEntries defines, it does not assign.
  return Object.fromEntries(missing === 0 ? kept : [...kept, ["…", `${missing} more`]]);
}

function spendText(text: string, budget: Budget): string {
  const bounded = boundText(text, Math.max(budget.left, 0));
  budget.left -= bounded.length;
  return bounded;
}

function takeWhileLeft<T, R>(items: readonly T[], budget: Budget, take: (item: T) => R): R[] {
  const taken: R[] = [];
  for (const item of items) {
    if (budget.left <= 0) break;
    taken.push(take(item));
  }
  return taken;
}
