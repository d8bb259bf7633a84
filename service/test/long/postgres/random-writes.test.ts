import { onTestFinished } from "vitest";
import { createSchema } from "../../../../test/support/postgres.js";
import { openStore } from "../../../store/open.js";
import { describeRandomWrites } from "../../random-writes.js";

/** `npm run soak` does 10,000. */
const WRITES = Number(process.env["SOAK_WRITES"] ?? 3_000);

describeRandomWrites("PostgreSQL", WRITES, async () => {
  const schema = createSchema();
  onTestFinished(() => schema.remove());
  return openStore(schema.database, {});
});
