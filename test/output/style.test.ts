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

  test.each(["#212121", "#000000", "#ffff00", "#ffffff", "#fdc02d", "#f2d600"])(
    "shows %s so that it can be seen on black, on dark gray and on white",
    async (color) => {
      const { hex } = await createStyle({ color: true });
      const shown = luminanceOfCode(Number(/38;5;(\d+)m/.exec(hex(color, "●"))?.[1]));
      const contrasts = [0, 0.013, 1].map(
        (other) => (Math.max(shown, other) + 0.05) / (Math.min(shown, other) + 0.05),
      );
      expect(Math.min(...contrasts)).toBeGreaterThan(1.7);
    },
  );

  test("shows a hex color, and ignores an invalid one", async () => {
    const { hex } = await createStyle({ color: true });
    expect(hex("#e73b3b", "●")).toBe("\u001b[38;5;203m●\u001b[39m");
    expect(hex("red", "●")).toBe("●");
    expect(hex("#e73b3b\u001b[0m", "●")).toBe("●");
  });
});

/** The relative luminance of one of the 256 colors: a cube of 6 by 6 by 6, then 24 grays. @see WCAG 2.2 */
function luminanceOfCode(code: number): number {
  const cube = [0, 95, 135, 175, 215, 255];
  const gray = 8 + (code - 232) * 10;
  const index = code - 16;
  const channels =
    code >= 232
      ? [gray, gray, gray]
      : [Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((step) => cube[step] ?? 0);
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
