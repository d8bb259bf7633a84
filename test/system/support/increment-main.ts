import { readFile, writeFile } from "node:fs/promises";
import { withFileLock } from "../../../src/system/file-lock.js";
import { awaitStart } from "../../support/child-start.js";

/** One of several processes that count in one file: increments it some times, then prints how often it did. */
const [lock = "", counter = "", times = "0", killAt = ""] = process.argv.slice(2);
const options = { process, timeout: 20_000 };

await awaitStart();
let done = 0;
for (; done < Number(times); done += 1) {
  await withFileLock(
    lock,
    async () => {
      const count = Number(await readFile(counter, "utf8"));
      if (killAt === String(done)) process.kill(process.pid, "SIGKILL");
      await writeFile(counter, String(count + 1));
    },
    options,
  );
}
process.stdout.write(`${done}\n`);
