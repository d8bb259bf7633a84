import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sanitizeLine } from "../../src/output/sanitize.js";
import { createRedactor } from "../../src/terminal/redaction.js";
import { unicodeText } from "../support/any-text.js";
import { numberOfRuns } from "../support/shared.js";
import { SLOW_TEXTS } from "../support/slow-texts.js";

const TOKEN = "tok/en+with=odd&signs-0123";

function maskOf(...values: readonly string[]) {
  const secrets = createRedactor(() => []);
  for (const value of values) secrets.add(value);
  return secrets.mask;
}

const hex = (text: string, write: (digits: string) => string) =>
  [...Buffer.from(text)].map((byte) => write(byte.toString(16).padStart(2, "0"))).join("");

describe("a secret is masked", () => {
  test.each([
    ["as it is", TOKEN],
    ["in upper case", TOKEN.toUpperCase()],
    ["in a URL", encodeURIComponent(TOKEN)],
    ["in the URL of a proxy that writes lower case", encodeURIComponent(TOKEN).toLowerCase()],
    ["in a form", new URLSearchParams({ a: TOKEN }).toString().slice(2)],
    ["in the URL of a URL", encodeURIComponent(encodeURIComponent(TOKEN))],
    ["with every byte escaped, in lower case", hex(TOKEN, (digits) => `%${digits}`)],
    ["in JSON", JSON.stringify(TOKEN).slice(1, -1)],
    ["in JSON that escapes slashes", TOKEN.replaceAll("/", "\\/")],
    ["in JSON that escapes everything", hex(TOKEN, (digits) => `\\u00${digits.toUpperCase()}`)],
    ["in JSON within JSON", JSON.stringify(TOKEN.replaceAll("/", "\\/")).slice(1, -1)],
    ["in base64", Buffer.from(TOKEN).toString("base64").replace(/.==?$/, "")],
    ["in base64url", Buffer.from(`${TOKEN}?`).toString("base64url").slice(0, -1)],
  ])("%s", (_, text) => {
    expect(maskOf(TOKEN)(`before ${text} after`)).toMatch(/^before \*\*\*.? after$/);
  });

  test("as part of Basic credentials", () => {
    for (const name of ["a", "ab", "abc", "client-1"]) {
      const header = Buffer.from(`${name}:${TOKEN}`).toString("base64");
      const masked = maskOf(TOKEN)(header);
      expect(masked).toContain("***");
      expect(Buffer.from(masked.split("***")[0] ?? "", "base64").toString()).not.toContain(TOKEN.slice(0, 2));
    }
  });

  test("but the URL of a host is none", () => {
    const mask = maskOf(
      "https://ntfy.sh",
      "http://localhost:8080/",
      "https://:token@ntfy.sh",
      "https://ntfy.sh?x",
    );
    const text = "as in https://ntfy.sh/TOPIC, http://localhost:8080/TOPIC";
    expect(mask(`${text}, https://:token@ntfy.sh https://ntfy.sh?x`)).toBe(`${text}, *** ***`);
  });

  test("every time", () => {
    expect(maskOf(TOKEN)(`${TOKEN} ${TOKEN}`)).toBe("*** ***");
  });

  test("completely, even if it begins with another one", () => {
    expect(maskOf("12345678", "1234567890abc")("1234567890abc 12345678")).toBe("*** ***");
  });

  test("when it is added later", () => {
    const secrets = createRedactor(() => []);
    expect(secrets.mask(TOKEN)).toBe(TOKEN);
    secrets.add(TOKEN);
    expect(secrets.mask(TOKEN)).toBe("***");
  });

  test("when it comes from the environment", () => {
    expect(createRedactor(() => [TOKEN]).mask(TOKEN)).toBe("***");
  });

  test.each([500, 2_000])("when it is %i characters long", (length) => {
    const long = `${TOKEN} "é`.repeat(length).slice(0, length);
    for (const text of [
      long,
      long.toUpperCase(),
      encodeURIComponent(long),
      JSON.stringify(long).slice(1, -1),
    ]) {
      expect(maskOf(long)(text)).toBe("***");
    }
  });

  test("with any characters, in any encoding", () => {
    const secret = unicodeText({ minLength: 8, maxLength: 40 });
    const writings: readonly ((text: string) => string)[] = [
      (text) => text,
      encodeURIComponent,
      (text) => new URLSearchParams({ a: text }).toString().slice(2),
      (text) => JSON.stringify(text).slice(1, -1),
      sanitizeLine,
    ];
    fc.assert(
      fc.property(secret, fc.constantFrom(...writings), (value, write) => {
        expect(maskOf(value)(write(value))).toBe("***");
      }),
      { numRuns: numberOfRuns(40) },
    );
  });
});

describe("text is unchanged", () => {
  test("without secrets", () => {
    expect(maskOf()("anything")).toBe("anything");
  });

  test("when a secret is too short to differ from words", () => {
    expect(maskOf("event", "", "a1")("event a1")).toBe("event a1");
  });

  test("around the secret", () => {
    expect(maskOf(TOKEN)("tok/en+with=odd")).toBe("tok/en+with=odd");
  });
});

test.each([
  ["backslashes", "\\"],
  ["percent signs", "%25"],
  ["escaped slashes", "\\/"],
  ["the secret's own beginning", "tok"],
])("a million of %s take little time", (_, text) => {
  const long = text.repeat(1_000_000 / text.length);
  expect(maskOf(TOKEN)(long)).toBe(long);
});

// test/long/slow-texts.test.ts has longer ones. The secrets begin as these texts do.
test("texts that nearly contain a secret are left as they are", () => {
  for (const [, textOf] of SLOW_TEXTS) {
    const secrets = [TOKEN, ...[20, 600].map((length) => `${textOf(length)}!`)];
    const text = textOf(2_000);
    expect(maskOf(...secrets)(text)).toBe(text);
  }
});
