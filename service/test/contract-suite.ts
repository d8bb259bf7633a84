import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
import { describeAccess, describeFailure } from "./contract/access.js";
import { describeBodies } from "./contract/bodies.js";
import { describeChanges } from "./contract/changes.js";
import { describeConditionalReads } from "./contract/conditional.js";
import { describeFeeds } from "./contract/feeds.js";
import { describeKeys } from "./contract/keys.js";
import { describeLists } from "./contract/lists.js";
import { describeRateLimit } from "./contract/rate-limit.js";
import { describeReading } from "./contract/reading.js";
import { describeRequests } from "./contract/requests.js";
import { describeSeries } from "./contract/series.js";
import { describeSeriesScopes } from "./contract/series-scopes.js";
import { type Connect, createStage, type Stage } from "./contract/stage.js";
import { describeUpcoming } from "./contract/upcoming.js";
import { describeWriting } from "./contract/writing.js";

/** The whole contract, or only its tests of what a socket or another database could change. */
export type Part = "whole" | "wire" | "database";

/** Registers the tests that every part with this group has and, for the whole contract, its other tests. */
type Group = (stage: () => Stage, isWhole: boolean) => void;

/** Groups whose tests change nothing that another of them reads. */
const WIRE_ON_ONE_SERVICE: readonly Group[] = [describeRequests, describeBodies];
const WIRE: readonly Group[] = [describeConditionalReads];
const WIRE_AND_DATABASE: readonly Group[] = [describeReading];
const DATABASE: readonly Group[] = [
  describeWriting,
  describeKeys,
  describeAccess,
  describeUpcoming,
  describeLists,
  describeChanges,
  describeFeeds,
  describeSeries,
  describeSeriesScopes,
];

/** What every implementation of the contract does. */
export function describeContract(way: string, part: Part, connect: Connect): void {
  let current: Stage | undefined;
  const stage = (): Stage => {
    if (current === undefined) throw new Error("a stage exists within a test");
    return current;
  };
  const open = async () => {
    current = await createStage(connect);
  };
  const close = async () => {
    await current?.close();
    current = undefined;
  };
  const describeAll = (groups: readonly Group[]) => {
    for (const describeGroup of groups) describeGroup(stage, part === "whole");
  };
  describe(`contract ${way}`, () => {
    if (part !== "database") {
      describe("on one service", () => {
        beforeAll(open);
        afterAll(close);
        describeAll(WIRE_ON_ONE_SERVICE);
      });
    }
    describe("on a service for each test", () => {
      beforeEach(open);
      afterEach(close);
      describeAll(WIRE_AND_DATABASE);
      if (part !== "wire") describeAll(DATABASE);
      if (part !== "database") describeAll(WIRE);
    });
    describeFailure(connect);
    if (part !== "database") describeRateLimit(connect);
  });
}
