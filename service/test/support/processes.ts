import { bundleChild, runTogether as runChildren } from "../../../test/support/child-program.js";

export interface ChildResult {
  readonly userId: string;
  /** Whether this process created the database. */
  readonly created: boolean;
  /** Number of the user's calendars. */
  readonly calendars: number;
  /** Statuses of the creates. */
  readonly statuses: readonly number[];
}

export interface ChildOptions {
  readonly processes: number;
  readonly database: string;
  /** How many events each process creates. */
  readonly events: number;
  /** Whether each has a key, the same in every process. */
  readonly keyed?: boolean;
}

/** Bundles the child program into a folder. Resolves with its path. */
export function buildChild(folder: string): Promise<string> {
  return bundleChild("service/test/support/child-main.ts", folder);
}

/** Starts processes at the same time. Resolves with the result of each. */
export async function runTogether(program: string, options: ChildOptions): Promise<ChildResult[]> {
  const { processes, database, events, keyed = false } = options;
  const runs = Array.from({ length: processes }, () => [
    database,
    String(events),
    ...(keyed ? ["keyed"] : []),
  ]);
  const ends = await runChildren<ChildResult>(program, runs);
  return ends.map(({ result }) => {
    if (result === null) throw new Error("a process ended without a result");
    return result;
  });
}
