import { badRequest } from "../http/reply.js";

/** Parameters of a query or a form by name. One without a value counts as not sent. @see RFC 6749 §3.1 */
export interface Parameters {
  readonly values: ReadonlyMap<string, string>;
  /** Names that were sent more than once; they are not among the values. */
  readonly repeated: ReadonlySet<string>;
}

/**
 * Reads `application/x-www-form-urlencoded` text. What is not UTF-8 is refused, since it could not be given back
 * unchanged. @see RFC 6749 appendix B
 * @throws ProblemError 400
 */
export function parseParameters(text: string): Parameters {
  const values = new Map<string, string>();
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const pair of text.split("&").filter((part) => part !== "")) {
    const [encodedName = "", ...rest] = pair.split("=");
    const name = decode(encodedName);
    const value = decode(rest.join("="));
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
    if (value !== "") values.set(name, value);
  }
  for (const name of repeated) values.delete(name);
  return { values, repeated };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badRequest("The request is not percent-encoded UTF-8.");
  }
}

/** Writes parameters as a query; those without a value are left out. A space is `%20`, which every decoder reads. */
export function formatParameters(parameters: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join("&");
}
