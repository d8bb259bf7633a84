import fc from "fast-check";
import { expect, test } from "vitest";
import { type Cursor, continueCursor } from "../../src/service/http/cursor.js";
import { rememberMove, wasRead } from "../../src/service/store/event-moves.js";

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

test("a few moves are remembered exactly", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 9 }), (steps) => {
      const { found, isRead } = play(steps);
      expect(found).toBe(isRead);
    }),
  );
});

test("many moves, and cursors of many revisions, stay short, and no event that was read is forgotten", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 60 }), (steps) => {
      const { found, isRead, moves, parts } = play(steps);
      expect(found || !isRead).toBe(true);
      expect(moves.split(" ").length).toBeLessThanOrEqual(8);
      expect(parts.length).toBeLessThanOrEqual(9);
    }),
  );
});

test("where events start together, the id decides", () => {
  const moves = rememberMove("", { revision: 2, start: 5 });
  const read = [{ revision: 1, at: 5, id: "b" }];
  expect(["a", "b", "c"].map((id) => wasRead({ id, moves }, read))).toEqual([true, true, false]);
});
