import { expect, onTestFinished, test } from "vitest";
import { bundleChild, runTogether } from "../../test/support/child-program.js";
import { createFolder } from "./support/world.js";

const MEBIBYTE = 1024 * 1024;

interface Measured {
  readonly bytes: number;
  readonly attendees: readonly (readonly [number, number])[];
}

test("cached events of coming days take 32 MiB at most, also with many attendees", async () => {
  const folder = createFolder();
  onTestFinished(folder.remove);
  const program = await bundleChild("service/test/support/cached-days-main.ts", folder.path);
  const [ended] = await runTogether<Measured>(program, [[]]);
  const { bytes = 0, attendees = [] } = ended?.result ?? {};
  expect(attendees).toEqual(Array(40).fill([2_160, 2_160]));
  expect(bytes).toBeGreaterThan(8 * MEBIBYTE);
  expect(bytes).toBeLessThan(32 * MEBIBYTE);
});
