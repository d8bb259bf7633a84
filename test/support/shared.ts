import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, inject, onTestFinished } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The factor by which `npm run test:long` multiplies the runs of each property; absent in the other tiers. */
    thoroughness: number;
  }
}

type End = () => Promise<void> | void;

const sharing = new AsyncLocalStorage<End[]>();

/** Calls a function when the test ends; while something shared is created, when the last test that shares it has ended. */
export function whenFinished(end: End): void {
  const ends = sharing.getStore();
  if (ends === undefined) onTestFinished(end);
  else ends.push(end);
}

let collecting = 0;

/** Runs a function and collects what it passes to `whenFinished`. */
async function collect<T>(ends: End[], create: () => Promise<T>): Promise<T> {
  collecting += 1;
  try {
    return await sharing.run(ends, create);
  } finally {
    collecting -= 1;
    // While a storage is enabled, Node calls a hook for every promise of the process.
    if (collecting === 0) sharing.disable();
  }
}

/** Runs a function, and then ends what it created without waiting for the end of the test. */
export async function untilDone<T>(use: () => Promise<T>): Promise<T> {
  const ends: End[] = [];
  try {
    return await collect(ends, use);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Creates something once for all tests of a file or `describe`, none of which may change it. */
export function share<T>(create: () => Promise<T>): () => T {
  const ends: End[] = [];
  let created: { readonly value: T } | null = null;
  beforeAll(async () => {
    created = { value: await collect(ends, create) };
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return () => {
    if (created === null) throw new Error("it is created before the first test");
    return created.value;
  };
}

/** The number of runs of a property. @param runs the number in `npm test`; `npm run test:long` has more */
export function numberOfRuns(runs: number): number {
  return runs * (inject("thoroughness") ?? 1);
}
