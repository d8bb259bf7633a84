import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sanitizeLine } from "../../src/output/sanitize.js";
import { shellLine } from "../../src/output/words.js";
import { hostileText } from "../support/harmful-text.js";

test.each([
  [["calctl", "--title", "Lunch"], "calctl --title Lunch"],
  [["2026-11-21T15:00+01:00", "a@b", "50%"], "2026-11-21T15:00+01:00 a@b 50%"],
  [["Ana's", "", "a b"], `'Ana'\\''s' '' 'a b'`],
  [["~", "$(x)", "`x`", "*"], "'~' '$(x)' '`x`' '*'"],
  [["\u001b[31m 5% \\ ' é"], `"$(printf '\\033[31m 5%% \\134 \\047 \\303\\251')"`],
  [["-\u202e"], `"$(printf '\\055\\342\\200\\256')"`],
])("%j", (words, line) => {
  expect(shellLine(words)).toBe(line);
});

/** What a command line can carry: no NUL, no lone surrogates; `$(…)` drops line feeds at the end. */
const word = fc
  .oneof(
    hostileText,
    hostileText.map((text) => `-${text}`),
    fc.string(),
  )
  .map((text) => text.replace(/\0|\p{Cs}/gu, "").replace(/\n+$/, ""));

test("sh reads any words back, and a terminal can show them", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 80 }), (words) => {
      const line = shellLine(words);
      expect(sanitizeLine(line)).toBe(line);
      const output = execFileSync("sh", ["-c", `for word in ${line}; do printf '%s\\0' "$word"; done`]);
      expect(output.toString("utf8").split("\0").slice(0, -1)).toEqual(words);
    }),
    // Each run starts a shell.
    { numRuns: 25 },
  );
});
