import fc from "fast-check";
import { expect, test } from "vitest";
import { type Cursor, continueCursor, formatCursor, MAX_EARLIER, parseCursor } from "../http/cursor.js";
import { MAX_MOVES, rememberMove, wasRead } from "../store/event-moves.js";

const step = fc.record({ isMove: fc.boolean(), start: fc.nat(30) });

/** An event is moved and a list is read on, in any order; each move is a revision. */
function play(steps: readonly { readonly isMove: boolean; readonly start: number }[]) {
  let cursor: Cursor | null = null;
  let [revision, moves, start, isRead] = [1, "", steps[0]?.start ?? 0, false];
  for (const next of steps) {
    if (next.isMove && next.start !== start) {
      revision += 1;
      isRead ||= cursor !== null && start <= cursor.at;
      moves = rememberMove(moves, { revision, start });
      start = next.start;
    } else if (!next.isMove) {
      const at: number = Math.max(cursor?.at ?? 0, next.start);
      cursor = continueCursor(cursor, { revision, at, id: "event" });
    }
  }
  const parts = cursor === null ? [] : [...cursor.earlier, cursor];
  return { found: wasRead({ id: "event", moves }, parts), isRead, moves, parts };
}

test("moves, and what a cursor has of earlier revisions, are remembered exactly", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: MAX_MOVES }), (steps) => {
      const { found, isRead } = play(steps);
      expect(found).toBe(isRead);
    }),
  );
});

test("an event that was moved on very often while a list was read in very many pages is not listed twice", () => {
  const often = MAX_EARLIER + MAX_MOVES;
  const moved = Array.from({ length: often }, (_, index) => ({ isMove: true, start: 2 * index + 3 }));
  const read = moved.map(({ start }) => ({ isMove: false, start: start - 2 }));
  const { found, isRead, moves, parts } = play([
    { isMove: false, start: 1 },
    ...moved.flatMap((move, index) => [move, read[index] ?? move]),
  ]);
  expect({ found, isRead }).toEqual({ found: true, isRead: true });
  expect(moves.split(" ").length).toBe(MAX_MOVES);
  expect(parts.length).toBe(MAX_EARLIER + 1);
});

test("a cursor of very many pages fits into a URL, and is read as it was written", () => {
  let cursor = continueCursor(null, { revision: 170_000_000_000_000, at: 1_700_000_000_000, id: ID });
  for (let page = 1; page <= MAX_EARLIER + 5; page += 1) {
    const { revision, at } = cursor;
    cursor = continueCursor(cursor, { revision: revision + 500, at: at + 90_000_000, id: ID });
  }
  const text = formatCursor(cursor, ["list"]);
  expect(text.length).toBeLessThan(7_000);
  const earlier = cursor.earlier.map((part) => ({ ...part, id: ID.slice(0, 8) }));
  expect(parseCursor(text, ["list"])).toEqual({ ...cursor, earlier });
});

const ID = "0123456789abcdef0123456789abcdef";

test("where events start together, the id decides", () => {
  const moves = rememberMove("", { revision: 2, start: 5 });
  const read = [{ revision: 1, at: 5, id: "b" }];
  expect(["a", "b", "c"].map((id) => wasRead({ id, moves }, read))).toEqual([true, true, false]);
  const beginning = [{ revision: 1, at: 5, id: "bb" }];
  expect(["bac", "bbz", "bca"].map((id) => wasRead({ id, moves }, beginning))).toEqual([true, true, false]);
});
