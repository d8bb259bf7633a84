import { onTestFinished } from "vitest";
import { openStore } from "../../../store/open.js";
import { describeRandomWrites } from "../../random-writes.js";
import { createSchema } from "../../support/postgres.js";

/** `npm run soak` does 10,000. */
const WRITES = Number(process.env["SOAK_WRITES"] ?? 3_000);

describeRandomWrites("PostgreSQL", WRITES, async () => {
  const schema = createSchema();
  onTestFinished(() => schema.remove());
  return openStore(schema.database, {});
});
