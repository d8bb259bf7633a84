import { expect, test } from "vitest";
import { showInPager } from "../../src/terminal/pager.js";

const TEXT = "line\n".repeat(50);

test.each([
  ["reads everything", "cat >/dev/null", true],
  ["reads the beginning", "head -n 1 >/dev/null", true],
  ["has quoted arguments", `grep -c "li  ne" >/dev/null; test "a b" = 'a b'`, true],
  ["is none", "", false],
  ["is cat", " cat ", false],
  ["does not exist", "exec 2>/dev/null; no-such-pager", false],
  ["cannot be run", "exec 2>/dev/null; /", false],
  ["is refused an option", "exit 1", false],
  ["is killed", "kill -9 $$", false],
])("a pager that %s", async (_, pager, isShown) => {
  const options = { env: { PAGER: pager, PATH: process.env["PATH"] }, rows: 10 };
  const { signal } = new AbortController();
  expect(await showInPager(TEXT, { ...options, interruption: () => signal })).toBe(isShown);
});

test("text that was read before Ctrl-C is not shown again", async () => {
  const controller = new AbortController();
  const interruption = () => {
    controller.abort();
    return controller.signal;
  };
  const options = { env: { PAGER: "exit 2", PATH: process.env["PATH"] }, rows: 10, interruption };
  expect(await showInPager(TEXT, options)).toBe(true);
});
