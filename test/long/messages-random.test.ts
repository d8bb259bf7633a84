import fc from "fast-check";
import { test } from "vitest";
import { hostileMessages, takenBy } from "../commands/messages/support/hostile-messages.js";
import { CHAT_KINDS } from "../commands/messages/support/published-limits.js";

test.each(CHAT_KINDS)(
  "%s takes 1,000 random events, and mentions nobody",
  { timeout: 600_000 },
  async (kind) => {
    const property = fc.asyncProperty(hostileMessages, async (messages) => {
      for (const message of messages) await takenBy(kind, message);
    });
    await fc.assert(property, { numRuns: 1_000 });
  },
);
