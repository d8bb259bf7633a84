import { createRateLimitFile } from "../../../../src/api/sending/rate-limit-file.js";
import { createProcessTable } from "../../../../src/system/file-lock.js";
import { awaitStart } from "../../../support/child-start.js";

/** One of several processes that share a memory: saves some pauses, prints how often what it then read was older. */
const [stateDirectory = "", first = "0", count = "0", step = "1"] = process.argv.slice(2);
const memory = createRateLimitFile({
  stateDirectory: () => stateDirectory,
  processes: createProcessTable(process),
  clock: { now: Date.now },
  token: "secret",
  origin: "https://x.example",
  patience: 20_000,
});

await awaitStart();
let lost = 0;
for (let index = 0; index < Number(count); index += 1) {
  const learned = Number(first) + index * Number(step);
  await memory.save({ until: learned + 10_000_000, learned });
  const known = await memory.load();
  if (known === null || known.learned < learned) lost += 1;
}
process.stdout.write(`${lost}\n`);
