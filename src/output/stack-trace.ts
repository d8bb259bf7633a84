import { boundText } from "./bounded-value.js";
import { sanitizeBlock, sanitizeLine } from "./sanitize.js";

/** Errors may be causes of each other. */
const CAUSES_MAX = 10;

/** The stacks of an error and of what caused it, harmless for a terminal, without a line feed at the end. */
export function stackTrace(error: unknown): string {
  const stacks: string[] = [];
  for (let cause = error; cause instanceof Error && stacks.length < CAUSES_MAX; cause = cause.cause) {
    stacks.push(stackOf(cause));
  }
  return stacks.length === 0 ? sanitizeLine(boundText(String(error))) : stacks.join("\ncaused by: ");
}

/** The message on one line, whatever is in it, and the lines of the stack. */
function stackOf({ name, message, stack = "" }: Error): string {
  return sanitizeLine(boundText(`${name}: ${message}`)) + sanitizeBlock(boundText(framesOf(message, stack)));
}

/** The stack without the message, which may have been another one when the stack was taken. */
function framesOf(message: string, stack: string): string {
  const behind = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
  const first = behind.search(/\n {4}at /);
  return first === -1 ? "" : behind.slice(first);
}
