/** Up to which item a list was read while its calendar had a revision. */
export interface CursorPart {
  readonly revision: number;
  /** The time by which the list is ordered, and the id, of the item that was visited last. */
  readonly at: number;
  /** At least its beginning. */
  readonly id: string;
}

/** A change of the start of an event. */
interface Move {
  /** Of the calendar, which this write gave it. */
  readonly revision: number;
  /** Before the change (ms since the epoch). */
  readonly start: number;
}

/** How many moves of an event are remembered one by one. */
export const MAX_MOVES = 64;

/**
 * Adds a move to those that are remembered of an event, as text. A move from the same or a later start is
 * dropped: a list that had passed that start by then has passed this one, too.
 */
export function rememberMove(moves: string, move: Move): string {
  const kept = [...parseMoves(moves).filter(({ start }) => start < move.start), move];
  const [first, second, ...rest] = kept;
  const few =
    first !== undefined && second !== undefined && kept.length > MAX_MOVES
      ? [{ revision: second.revision, start: first.start }, ...rest]
      : kept;
  return few.map(({ revision, start }) => `${revision}:${start}`).join(" ");
}

/** Whether an event was, before one of its moves, at a place up to which the list had been read by then. */
export function wasRead(
  { id, moves }: { readonly id: string; readonly moves: string },
  parts: readonly CursorPart[],
): boolean {
  return parseMoves(moves).some(({ revision, start }) => {
    const read = parts.findLast((part) => part.revision < revision);
    return (
      read !== undefined && (start < read.at || (start === read.at && id.slice(0, read.id.length) <= read.id))
    );
  });
}

function parseMoves(text: string): readonly Move[] {
  if (text === "") return [];
  return text.split(" ").map((part) => {
    const [revision = 0, start = 0] = part.split(":").map(Number);
    return { revision, start };
  });
}
