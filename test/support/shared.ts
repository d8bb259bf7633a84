import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, inject, onTestFinished } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** How many times as many runs properties have as in `npm test`. */
    thoroughness: number;
  }
}

type End = () => Promise<void> | void;

const sharing = new AsyncLocalStorage<End[]>();

/** Calls a function when the test ends, or the last of those that share what is being created. */
export function whenFinished(end: End): void {
  const ends = sharing.getStore();
  if (ends === undefined) onTestFinished(end);
  else ends.push(end);
}

let collecting = 0;

/** Collects what ends what a function creates. */
async function collect<T>(ends: End[], create: () => Promise<T>): Promise<T> {
  collecting += 1;
  try {
    return await sharing.run(ends, create);
  } finally {
    collecting -= 1;
    // While it is enabled, Node calls a hook for every promise of the process.
    if (collecting === 0) sharing.disable();
  }
}

/** Ends what a function creates when it is done, not when the test is. */
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

/** The number of runs of a property. @param runs in `npm test`; `npm run test:long` has more */
export function numberOfRuns(runs: number): number {
  return runs * (inject("thoroughness") ?? 1);
}
