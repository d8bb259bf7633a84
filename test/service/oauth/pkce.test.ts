import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { matchesChallenge, parseChallenge } from "../../../src/service/oauth/pkce.js";
import { CHALLENGE, VERIFIER } from "./support/stage.js";

const LONG = "a".repeat(128);

describe("a challenge", () => {
  test.each([
    [CHALLENGE, "S256", "S256"],
    [VERIFIER, "plain", "plain"],
    [VERIFIER, undefined, "plain"],
    [LONG, "plain", "plain"],
    ["a.b~c_d-".repeat(6), undefined, "plain"],
  ] as const)("%s with method %s is read", (value, method, read) => {
    expect(parseChallenge(value, method)).toEqual({
      kind: "challenge",
      challenge: { value, method: read },
    });
  });

  test("may be left out", () => {
    expect(parseChallenge(undefined, undefined)).toEqual({ kind: "challenge", challenge: null });
  });

  test.each([
    [undefined, "S256"],
    [CHALLENGE, "s256"],
    [CHALLENGE, "S512"],
    [`${CHALLENGE}=`, "S256"],
    [CHALLENGE.slice(1), "S256"],
    [LONG, "S256"],
    ["short", "plain"],
    ["a".repeat(129), "plain"],
    [`${VERIFIER} `, "plain"],
    [`${VERIFIER}é`, undefined],
  ])("%s with method %s is refused", (value, method) => {
    expect(parseChallenge(value, method)).toEqual({ kind: "invalid", problem: expect.any(String) });
  });
});

test("a verifier shorter than RFC 7636 allows answers nothing, though its hash is right", () => {
  const value = createHash("sha256").update("short").digest("base64url");
  expect(matchesChallenge("short", { value, method: "S256" })).toBe(false);
});

describe("a verifier", () => {
  const s256 = { value: CHALLENGE, method: "S256" } as const;
  const plain = { value: VERIFIER, method: "plain" } as const;

  test("answers its challenge, as in RFC 7636 appendix B", () => {
    expect(matchesChallenge(VERIFIER, s256)).toBe(true);
    expect(matchesChallenge(VERIFIER, plain)).toBe(true);
    expect(matchesChallenge(undefined, null)).toBe(true);
  });

  test.each([
    ["none to a challenge", undefined, s256],
    ["none to a plain challenge", undefined, plain],
    ["one without a challenge", VERIFIER, null],
    ["another one", `${VERIFIER.slice(1)}x`, s256],
    ["the challenge itself", CHALLENGE, s256],
    ["another plain one", `${VERIFIER.slice(1)}x`, plain],
    ["more than the plain one", `${VERIFIER}x`, plain],
    ["an empty one", "", s256],
    ["one of forbidden letters", "+".repeat(43), s256],
  ])("is wrong: %s", (_, verifier, challenge) => {
    expect(matchesChallenge(verifier, challenge)).toBe(false);
  });
});
