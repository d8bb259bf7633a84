import { expect } from "vitest";

/** Matches a run that printed nothing and failed with an exit code and an error that has these words. */
export function failed(exitCode: number, words: string) {
  return { exitCode, stdout: "", stderr: expect.stringContaining(words) };
}

/** A run that did what it should, and had nothing to say. */
export const QUIET = { exitCode: 0, stdout: "", stderr: "" };
