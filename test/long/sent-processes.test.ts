import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleChild, runTogether } from "../support/child-program.js";

/** Real processes that use one state at the same time, or one after another of which each is killed. */

interface Sender {
  readonly outcome: string;
  readonly steps: number;
  readonly seen: string | null;
}

let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "calctl-senders-"));
  program = await bundleChild("test/state/child-main.ts", folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

let stages = 0;

/** A state and a mailbox of their own. */
function createStage() {
  stages += 1;
  const path = join(folder, String(stages), "state.db");
  const mailbox = join(folder, `mailbox-${stages}`);
  const argv = (key: string, ...rest: string[]) => [path, mailbox, key, ...rest];
  return {
    run: (runs: readonly (readonly string[])[]) =>
      runTogether<Sender>(
        program,
        runs.map(([key = "", ...rest]) => argv(key, ...rest)),
      ),
    delivered: () => (existsSync(mailbox) ? readFileSync(mailbox, "utf8").trim().split("\n") : []),
  };
}

test("of 20 processes at once one sends, and the others wait for its outcome", async () => {
  const stage = createStage();
  const ends = await stage.run(Array.from({ length: 20 }, () => ["digest"]));
  const outcomes = ends.map(({ result }) => result?.outcome).sort();
  expect(outcomes).toEqual([...Array.from({ length: 19 }, () => "already_sent"), "sent"]);
  expect(stage.delivered()).toEqual(["digest"]);
});

describe("a process that is killed at any step", () => {
  /** The outcomes of a run that was killed and of the two after it, for each step. */
  async function killAtEachStep(mode: string) {
    const whole = createStage();
    const [end] = await whole.run([["digest", mode, "1000"]]);
    const steps = end?.result?.steps ?? 0;
    expect(steps).toBeGreaterThan(10);
    const rows = [];
    for (let step = 0; step < steps; step += 1) {
      const stage = createStage();
      const [killed] = await stage.run([["digest", mode, String(step)]]);
      const [second] = await stage.run([["digest", mode]]);
      const [third] = await stage.run([["digest", mode]]);
      rows.push({
        killed: killed?.result?.outcome ?? "killed",
        second: second?.result?.outcome,
        third: third?.result?.outcome,
        seen: third?.result?.seen,
        delivered: stage.delivered().length,
      });
    }
    return rows;
  }

  test("never sends twice: either nothing was noted, or the outcome is unknown, or it is noted as sent", async () => {
    const rows = await killAtEachStep("");
    const kinds = rows.map(({ second, third, delivered }) => `${second}, ${third}, ${delivered}`);
    const before = kinds.filter((kind) => kind === "sent, already_sent, 1");
    const unknown = kinds.filter((kind) => /^outcome_unknown, outcome_unknown, [01]$/.test(kind));
    const after = kinds.filter((kind) => kind === "already_sent, already_sent, 1");
    // In this order, and nothing else.
    expect(kinds).toEqual([...before, ...unknown, ...after]);
    for (const kind of [before, unknown, after]) expect(kind.length).toBeGreaterThan(0);
    expect(new Set(unknown)).toEqual(
      new Set(["outcome_unknown, outcome_unknown, 0", "outcome_unknown, outcome_unknown, 1"]),
    );
  });

  test("is reported once where unknown outcomes are forgotten, and what it had to remember is remembered", async () => {
    const rows = await killAtEachStep("forget");
    const kinds = new Set(rows.map(({ second, third }) => `${second}, ${third}`));
    expect(kinds).toEqual(
      new Set(["sent, already_sent", "outcome_unknown, unknown_before", "already_sent, already_sent"]),
    );
    expect(rows.filter(({ delivered }) => delivered > 1)).toEqual([]);
    expect(rows.filter(({ seen }) => seen !== "digest")).toEqual([]);
  });
});
