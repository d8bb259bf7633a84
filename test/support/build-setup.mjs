import { ensureBuilt } from "../../build/build.mjs";

/** The end-to-end tests run the built program: it is built first where sources have changed. */
export async function setup() {
  await ensureBuilt();
}
