import type { TestProject } from "vitest/node";
import { startPostgres } from "../../service/test/support/postgres-server.js";
import { missingPart } from "./system-parts.js";

/** One server for all tests that need no other. @throws Error where PostgreSQL is missing */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const obstacle = missingPart("postgres");
  if (obstacle !== null) throw new Error(obstacle.reason);
  const server = await startPostgres();
  provide("postgres", server.url());
  return () => server.close();
}
