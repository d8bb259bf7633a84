/** A date as HTTP writes it, in milliseconds since the Unix epoch; null for anything else. @see RFC 9110 §5.6.7 */
export function parseHttpDate(text: string | undefined): number | null {
  if (text === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    return null;
  }
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : date;
}

/**
 * The service's clock as an answer tells it by `Date`, in milliseconds since the Unix epoch; null when it does not say,
 * or was written by a cache earlier.
 * @param headers names in lower case
 * @see RFC 9110 §6.6.1, RFC 9111 §5.1
 */
export function readServerTime(headers: Readonly<Record<string, string>>): number | null {
  return headers["age"] === undefined ? parseHttpDate(headers["date"]) : null;
}
