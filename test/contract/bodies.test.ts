import * as v from "valibot";
import { expect, test } from "vitest";
import { eventBodySchema } from "../../contract/bodies.js";

test.each(["2026-11-21", "20261121T120000Z", "2026-11-21T12Z", "2026-11-20T24:00:00Z"])(
  "the time %s is invalid in a request, though valid in a response",
  (start_at) => {
    const attributes = { title: "T", category: "keep", start_at, end_at: "2026-11-22T00:00:00Z" };
    const body = { data: { attributes, relationships: { label: { data: { id: "1", type: "label" } } } } };
    expect(v.safeParse(eventBodySchema, body).issues?.map((issue) => v.getDotPath(issue))).toEqual([
      "data.attributes.start_at",
    ]);
  },
);
