import { configurationError } from "../errors.js";

/**
 * The value of Accept as a service has one of its own.
 * @param source names where the text came from in messages
 * @throws CliError configuration
 */
export function parseMediaType(text: string, source: string): string {
  if (/^[\w.+-]+\/[\w.+-]+$/.test(text)) return text;
  throw configurationError(`${source}: "${text}" is no media type`, {
    hint: "write application/vnd.NAME.v1+json",
  });
}
