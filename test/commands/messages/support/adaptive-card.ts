import { createRequire } from "node:module";

/** The library of Microsoft. Its other files are modules that Node cannot load. */
const cards: typeof import("adaptivecards") = createRequire(import.meta.url)(
  "adaptivecards/dist/adaptivecards.js",
);

/** What the library finds wrong in a card of version 1.4: unknown elements, values and what came with later versions. */
export function findCardProblems(card: object): readonly string[] {
  const context = new cards.SerializationContext(cards.Versions.v1_4);
  const parsed = new cards.AdaptiveCard();
  parsed.parse(card, context);
  const events = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index));
  return [...events, ...parsed.validateProperties().validationEvents].map(
    ({ message }) => `card: ${message}`,
  );
}
