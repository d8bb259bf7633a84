import { once } from "node:events";

/** In a child of `runTogether`: reports that it is ready, and waits until all are. */
export async function awaitStart(): Promise<void> {
  process.stdout.write("ready\n");
  await once(process.stdin, "data");
  process.stdin.destroy();
}
