import { expect, test } from "vitest";
import { CliError } from "../../src/errors.js";
import { problemReply } from "../../src/service/http/reply.js";

test.each([
  ["a bug", new Error("secret detail"), 500, undefined],
  ["a database that cannot be used", new CliError("configuration", "secret detail"), 500, undefined],
  ["a database that another process holds too long", new CliError("unavailable", "secret detail"), 503, "1"],
])("%s is answered without detail and told the operator", (_, error, status, retryAfter) => {
  const told: unknown[] = [];
  const reply = problemReply(error, (hidden) => told.push(hidden));
  expect(reply.status).toBe(status);
  expect(reply.headers["retry-after"]).toBe(retryAfter);
  expect(new TextDecoder().decode(reply.body)).not.toContain("secret");
  expect(told).toEqual([error]);
});
