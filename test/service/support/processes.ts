import { bundleChild, runTogether as runChildren } from "../../support/child-program.js";

export interface ChildResult {
  readonly userId: string;
  /** Whether it made the database. */
  readonly created: boolean;
  /** How many the user has. */
  readonly calendars: number;
  /** Of the creates. */
  readonly statuses: readonly number[];
}

export interface ChildOptions {
  readonly processes: number;
  readonly database: string;
  /** How many each one creates. */
  readonly events: number;
}

/** Bundles the program of the children into a folder; resolves with its path. */
export function buildChild(folder: string): Promise<string> {
  return bundleChild("test/service/support/child-main.ts", folder);
}

/** Lets processes go all at once, resolves with what each has printed. */
export async function runTogether(program: string, options: ChildOptions): Promise<ChildResult[]> {
  const runs = Array.from({ length: options.processes }, () => [options.database, String(options.events)]);
  const ends = await runChildren<ChildResult>(program, runs);
  return ends.map(({ result }) => {
    if (result === null) throw new Error("a process ended without a result");
    return result;
  });
}
