import * as v from "valibot";
import { ANSWER_MARK, type KeychainAnswer } from "./keychain-protocol.js";

const answerSchema = v.variant("kind", [
  v.object({ kind: v.literal("value"), value: v.nullable(v.string()) }),
  v.object({ kind: v.literal("removed"), existed: v.boolean(), gone: v.boolean() }),
  v.object({ kind: v.literal("done") }),
  v.object({ kind: v.literal("no_library"), reason: v.string() }),
  v.object({ kind: v.literal("failed"), reason: v.string() }),
]);

/** The answer in what the keychain helper printed; null where there is none, or one that is not of this protocol. */
export function readKeychainAnswer(stdout: string): KeychainAnswer | null {
  const line = stdout.split("\n").findLast((text) => text.startsWith(ANSWER_MARK));
  if (line === undefined) return null;
  try {
    const parsed = v.safeParse(answerSchema, JSON.parse(line.slice(ANSWER_MARK.length)));
    return parsed.success ? parsed.output : null;
  } catch {
    // The parser's message would repeat the text, which may be a token.
    return null;
  }
}
