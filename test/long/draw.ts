/** Random numbers that a seed repeats. */
export interface Draw {
  /** A whole number from 0 up to, but not including, the bound. */
  below(bound: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** A linear congruential generator: good enough to choose faults, and the same everywhere. */
export function createDraw(seed: number): Draw {
  let state = BigInt(seed) & MASK;
  const next = (): number => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & MASK;
    return Number(state >> 32n) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (from) => {
      const chosen = from[below(from.length)];
      if (chosen === undefined) throw new Error("nothing to choose from");
      return chosen;
    },
  };
}

const MASK = 2n ** 64n - 1n;
