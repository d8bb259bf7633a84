import { expect, test } from "vitest";
import { words } from "./words.js";

test("a command line is split as a shell does, and what is interpolated stays whole", () => {
  expect(words`add "Fun fair" --url=${'a "b" c'} "" --port ${0}
    -- ${""} x`).toEqual(["add", "Fun fair", '--url=a "b" c', "", "--port", "0", "--", "", "x"]);
});
