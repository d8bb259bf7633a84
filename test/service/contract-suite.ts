import { afterEach, beforeEach, describe } from "vitest";
import { describeRateLimit } from "./contract/rate-limit.js";
import { describeReading } from "./contract/reading.js";
import { describeRefusals } from "./contract/refusals.js";
import { createStage, type Stage } from "./contract/stage.js";
import { describeUpcoming } from "./contract/upcoming.js";
import { describeWriting } from "./contract/writing.js";
import type { Send } from "./support/send.js";
import type { World } from "./support/world.js";

export interface Connection {
  readonly send: Send;
  close(): Promise<void>;
}

/** What a service of the contract does, whichever way requests reach it. */
export function describeContract(way: string, connect: (world: World) => Promise<Connection>): void {
  describe(`contract ${way}`, () => {
    let current: Stage | undefined;
    const stage = (): Stage => {
      if (current === undefined) throw new Error("a stage exists within a test");
      return current;
    };
    beforeEach(async () => {
      current = await createStage(connect);
    });
    afterEach(async () => {
      await current?.close();
      current = undefined;
    });
    describeReading(stage);
    describeUpcoming(stage);
    describeWriting(stage);
    describeRefusals(stage);
    describeRateLimit(connect);
  });
}
