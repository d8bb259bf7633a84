import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  alignWords,
  quoteForBash,
  quoteForPowerShell,
  REPLIES,
  splitBashLine,
  splitFishLine,
} from "../../../src/cli/completion/reply.js";
import { textWidth } from "../../../src/output/table/text-width.js";

/** Texts without a null character, which no argument can have. */
const TEXT = fc
  .string({
    unit: fc.constantFrom(..."ab $`'\"\\!;&|(){}[]*?~#=:<>,\n\t\r\x1b\u202e日é-".split("")),
    maxLength: 12,
  })
  .filter((text) => !text.includes("\0"));

const BREAKS = " \t\n\"'><=;|&(:";

describe("bash", () => {
  test("hands the quoted text to a program as it was, outside and inside of quotes", () => {
    const texts = fc.sample(TEXT, { numRuns: 500, seed: 11 });
    const line = texts.flatMap((text) => [
      quoteForBash(text, null) || "''",
      `'${quoteForBash(text, "'")}'`,
      `"${quoteForBash(text, '"')}"`,
    ]);
    const script = `printf '%s\\0' ${line.join(" ")}`;
    const { stdout } = spawnSync("bash", ["--norc", "-c", script], {
      encoding: "utf8",
      env: { LC_ALL: "C.UTF-8" },
    });
    expect(stdout.split("\0").slice(0, -1)).toEqual(texts.flatMap((text) => [text, text, text]));
  });

  test.each([
    ["calctl labels -c Wo", ["calctl", "labels", "-c", "Wo"], 0, null],
    ["calctl ", ["calctl", ""], 0, null],
    ["CALCTL_PROFILE=x A=b calctl l", ["calctl", "l"], 0, null],
    ["cd /; calctl l", ["calctl", "l"], 0, null],
    ["calctl --calendar=Wo", ["calctl", "--calendar=Wo"], 11, null],
    ["calctl -c a:b", ["calctl", "-c", "a:b"], 2, null],
    ["calctl -c a\\:b", ["calctl", "-c", "a:b"], 0, null],
    ['calctl -c "Two W', ["calctl", "-c", "Two W"], 0, '"'],
    ["calctl -c 'it'\\''s' W", ["calctl", "-c", "it's", "W"], 0, null],
    ['calctl -c "a\\"b\\$c\\d', ["calctl", "-c", 'a"b$c\\d'], 0, '"'],
    ['calctl -c x"y z', ["calctl", "-c", "xy z"], 1, '"'],
    ['calctl -c "x y"z', ["calctl", "-c", "x yz"], 0, null],
    ["calctl -c $(touch\\ x", ["touch x"], 0, null],
    ["calctl -c a\\", ["calctl", "-c", "a"], 0, null],
  ])("splits %s", (line, words, kept, quote) => {
    expect(splitBashLine(line, BREAKS)).toEqual({ words, kept, quote });
  });

  test("splits what it quotes into what it was", () => {
    fc.assert(
      fc.property(fc.array(TEXT, { minLength: 1 }), (texts) => {
        const plain = texts.filter((text) => !/[\p{C}\p{Z}]/u.test(text.replaceAll(" ", "")));
        const line = ["calctl", ...plain.map((text) => `"${quoteForBash(text, '"')}"`)].join(" ");
        expect(splitBashLine(line, BREAKS).words).toEqual(["calctl", ...plain]);
      }),
    );
  });

  test("shows descriptions only where bash lists and inserts nothing", async () => {
    const candidates = [
      { value: "abcd", description: "Lunch\n\u001b[31m" },
      { value: "abce", description: "" },
    ];
    const reply = (type: string, line: string) =>
      REPLIES["bash"]?.([type, BREAKS, "40", line], () => ({ candidates, files: false }));
    expect(await reply("9", "calctl events get ab")).toBe("words\0abcd\0abce\0");
    expect(await reply("37", "calctl events get ab")).toBe("words\0abcd\0abce\0");
    expect(await reply("63", "calctl events get ab")).toBe("words\0abcd  Lunch\\n\\x1b[31m\0abce\0");
    expect(await reply("63", 'calctl events get "ab')).toBe("words\0abcd\0abce\0");
  });
});

describe("lists", () => {
  const words = [
    { shown: "--label", description: "a label that is described at length" },
    { shown: "日本", description: "日本語の説明がここにとても長く続きます" },
    { shown: "x".repeat(40), description: "moved" },
    { shown: "plain", description: "" },
  ];

  test.each([40, 80])("fit a terminal of %i columns", async (columns) => {
    const lines = await alignWords(words, String(columns));
    expect(lines.filter((line) => textWidth(line) >= columns && !line.startsWith("xx"))).toEqual([]);
    expect(lines).toMatchObject({ 3: "plain" });
    expect(lines[0]).toMatch(/^--label {27}a l/);
  });

  test("have a width without COLUMNS, too", async () => {
    expect(await alignWords(words, "")).toEqual(await alignWords(words, "80"));
  });
});

describe("fish", () => {
  test.each([
    ["calctl labels -c Wo", ["calctl", "labels", "-c", "Wo"]],
    ["calctl ", ["calctl", ""]],
    ["calctl -c 'Two W", ["calctl", "-c", "Two W"]],
    ["calctl -c 'it\\'s \\\\ \\n'", ["calctl", "-c", "it's \\ \\n"]],
    ['calctl -c "a\\"b\\$c\\d"', ["calctl", "-c", 'a"b$c\\d']],
    ["calctl -c two\\nlines\\ \\x41", ["calctl", "-c", "two\nlines A"]],
    ["calctl -c 'a\\", ["calctl", "-c", "a"]],
    ["calctl -c a\\", ["calctl", "-c", "a"]],
    ["calctl -c \\UFFFFFFFF", ["calctl", "-c", ""]],
  ])("splits %s", (line, words) => {
    expect(splitFishLine(line)).toEqual(words);
  });
});

describe("PowerShell", () => {
  test.each([
    ["Work", "Work"],
    ["日本語", "日本語"],
    ["--calendar=Work", "--calendar=Work"],
    ["--calendar=Two Words", "'--calendar=Two Words'"],
    ["Two Words", "'Two Words'"],
    ["$(touch x)", "'$(touch x)'"],
    ["`touch x`", "'`touch x`'"],
    ["it's", "'it''s'"],
    ["it\u2019s \u2018so\u201a\u201b", "'it\u2019\u2019s \u2018\u2018so\u201a\u201a\u201b\u201b'"],
    ["two\nlines", "'two\nlines'"],
    ["@{a=1}", "'@{a=1}'"],
    ["a;b", "'a;b'"],
    ["#x", "'#x'"],
    ["", "''"],
  ])("%j becomes %j", (text, quoted) => {
    expect(quoteForPowerShell(text)).toBe(quoted);
  });

  test("gets and sends ASCII, with characters of every kind inside", async () => {
    const words = ["labels", "-c", 'Ü "x" 😀'];
    const candidates = [{ value: "Ü\n😀", description: "" }];
    const encoded = Buffer.from(JSON.stringify(words)).toString("base64");
    let asked: readonly string[] = [];
    const reply = await REPLIES["powershell"]?.([encoded], (given) => {
      asked = given;
      return { candidates, files: false };
    });
    expect(asked).toEqual(words);
    expect(reply).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(reply ?? "")).toEqual({
      files: false,
      results: [{ text: "'Ü\n😀'", shown: "Ü\\n😀", tip: "Ü\\n😀" }],
    });
  });
});
