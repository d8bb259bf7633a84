import { afterEach, beforeEach, describe } from "vitest";
import { describeAccess, describeFailure } from "./contract/access.js";
import { describeChanges } from "./contract/changes.js";
import { describeConditionalReads } from "./contract/conditional.js";
import { describeFeeds } from "./contract/feeds.js";
import { describeKeys } from "./contract/keys.js";
import { describeLists } from "./contract/lists.js";
import { describeMalformedBodies } from "./contract/malformed-bodies.js";
import { describeMalformedRequests } from "./contract/malformed-requests.js";
import { describeRateLimit } from "./contract/rate-limit.js";
import { describeReading } from "./contract/reading.js";
import { describeSeries } from "./contract/series.js";
import { describeSeriesScopes } from "./contract/series-scopes.js";
import { type Connect, createStage, type Stage } from "./contract/stage.js";
import { describeUpcoming } from "./contract/upcoming.js";
import { describeWriting } from "./contract/writing.js";

export interface ContractOptions {
  /** Whether requests are sent that are refused before the database is asked; true by default. */
  readonly malformed?: boolean;
}

/** What every implementation of the contract does, in-process and over a socket. */
export function describeContract(
  way: string,
  connect: Connect,
  { malformed = true }: ContractOptions = {},
): void {
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
    describeLists(stage);
    describeConditionalReads(stage);
    describeChanges(stage);
    describeFeeds(stage);
    describeWriting(stage);
    describeSeries(stage);
    describeSeriesScopes(stage);
    describeKeys(stage);
    describeAccess(stage);
    if (malformed) {
      describeMalformedRequests(stage);
      describeMalformedBodies(stage);
    }
    describeFailure(connect);
    describeRateLimit(connect);
  });
}
