import { expect, test } from "vitest";
import { CliError } from "../../src/errors.js";
import { problemReply, toProblemError } from "../../src/service/http/reply.js";

test.each([
  ["a bug", new Error("secret detail"), 500, undefined],
  ["a database that cannot be used", new CliError("configuration", "secret detail"), 500, undefined],
  [
    "a database that another process locks for too long",
    new CliError("unavailable", "secret detail"),
    503,
    "1",
  ],
])("the reply to %s has no details, the problem has them as its cause", (_, error, status, retryAfter) => {
  const problem = toProblemError(error);
  expect(problem.cause).toBe(error);
  const reply = problemReply(problem);
  expect(reply.status).toBe(status);
  expect(reply.headers["retry-after"]).toBe(retryAfter);
  expect(new TextDecoder().decode(reply.body)).not.toContain("secret");
});
