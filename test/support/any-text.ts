import fc from "fast-check";

/** Any character of Unicode. fast-check's own, `unit: "binary"`, takes a second in each process that uses it. */
export const unicodeCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Texts of any characters. */
export function unicodeText(constraints: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: unicodeCharacter });
}
