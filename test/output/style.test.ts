import { describe, expect, test } from "vitest";
import { type ColorOptions, createStyle, isColorEnabled } from "../../src/output/style.js";

describe("isColorEnabled", () => {
  const terminal: ColorOptions = { choice: "auto", env: {}, isTerminal: true };
  const pipe: ColorOptions = { ...terminal, isTerminal: false };

  test.each<[string, ColorOptions, boolean]>([
    ["a terminal", terminal, true],
    ["a pipe", pipe, false],
    ["--color always in a pipe", { ...pipe, choice: "always" }, true],
    ["--color never on a terminal", { ...terminal, choice: "never" }, false],
    ["NO_COLOR", { ...terminal, env: { NO_COLOR: "1" } }, false],
    ["an empty NO_COLOR", { ...terminal, env: { NO_COLOR: "" } }, true],
    ["--color always beats NO_COLOR", { ...terminal, choice: "always", env: { NO_COLOR: "1" } }, true],
    ["FORCE_COLOR in a pipe", { ...pipe, env: { FORCE_COLOR: "1" } }, true],
    ["FORCE_COLOR=0", { ...terminal, env: { FORCE_COLOR: "0" } }, false],
    ["FORCE_COLOR=false", { ...terminal, env: { FORCE_COLOR: "false" } }, false],
    ["an empty FORCE_COLOR", { ...pipe, env: { FORCE_COLOR: "" } }, false],
    ["--color never beats FORCE_COLOR", { ...pipe, choice: "never", env: { FORCE_COLOR: "1" } }, false],
    ["NO_COLOR beats FORCE_COLOR", { ...pipe, env: { NO_COLOR: "1", FORCE_COLOR: "1" } }, false],
    ["a dumb terminal", { ...terminal, env: { TERM: "dumb" } }, false],
    ["FORCE_COLOR on a dumb terminal", { ...terminal, env: { TERM: "dumb", FORCE_COLOR: "1" } }, true],
  ])("%s", (_, options, expected) => {
    expect(isColorEnabled(options)).toBe(expected);
  });
});

describe("createStyle", () => {
  test("without color does not change text", async () => {
    const { enabled, bold, dim, red, green, hex } = await createStyle({ color: false });
    expect([enabled, bold("a"), dim("a"), red("a"), green("a"), hex("#ff0000", "a")]).toEqual([
      false,
      "a",
      "a",
      "a",
      "a",
      "a",
    ]);
  });

  test("with color does not depend on the streams of this process", async () => {
    const { enabled, bold, red } = await createStyle({ color: true });
    expect([enabled, bold("a"), red("a")]).toEqual([true, "\u001b[1ma\u001b[22m", "\u001b[31ma\u001b[39m"]);
  });

  test("shows a hex color, and ignores an invalid one", async () => {
    const { hex } = await createStyle({ color: true });
    expect(hex("#e73b3b", "●")).toBe("\u001b[38;5;203m●\u001b[39m");
    expect(hex("red", "●")).toBe("●");
    expect(hex("#e73b3b\u001b[0m", "●")).toBe("●");
  });
});
