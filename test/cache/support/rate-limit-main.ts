import { createCacheFile } from "../../../src/cache/cache-file.js";
import { createRateLimitStore } from "../../../src/cache/rate-limits.js";
import { awaitStart } from "../../support/child-start.js";

/** One of several processes that share a rate limit: saves some pauses and prints how often it then read a torn or no pause. */
const [directory = "", first = "0", count = "0", step = "1"] = process.argv.slice(2);
const file = {
  directory: () => directory,
  kind: "rate-limits",
  name: () => "0123abcd https://x.example",
} as const;
const store = createRateLimitStore(createCacheFile({ ...file, now: Date.now }), Date.now);

await awaitStart();
let torn = 0;
for (let index = 0; index < Number(count); index += 1) {
  const observedAt = Number(first) + index * Number(step);
  await store.save({ until: observedAt + 10_000_000, observedAt });
  const saved = await store.load();
  if (saved === null || saved.until !== saved.observedAt + 10_000_000) torn += 1;
}
process.stdout.write(`${torn}\n`);
