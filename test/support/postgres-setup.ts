import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres-server.js";
import { systemPart } from "./system.js";

/** One server for all tests that need no other; none where PostgreSQL is missing. */
export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (systemPart("postgres") === undefined) return undefined;
  const server = await startPostgres();
  provide("postgres", server.url());
  return () => server.close();
}
