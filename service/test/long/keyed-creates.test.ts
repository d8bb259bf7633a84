import { onTestFinished } from "vitest";
import { openService } from "../../service.js";
import { describeKeyedCreates } from "../keyed-creates.js";
import { createWorld } from "../support/world.js";

const openWorld = () => createWorld({ stored: true, rateLimit: null });

describeKeyedCreates("SQLite", openWorld, async ({ database, service, clock }) => {
  // As another process has the file.
  const other = await openService({ database, now: () => clock.now, rateLimit: null });
  onTestFinished(() => other.close());
  return [service, other];
});
