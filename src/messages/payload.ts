/** What is sent to a target, or given to `sendmail -t`. */
export interface Payload {
  readonly contentType: string;
  /** Beside the content type. Values are ASCII. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parameters of the URL. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The same message with less of it, for a target whose limits are not documented and that has refused this one. */
  readonly smaller?: () => Payload;
}

/** Says the encoding, since some services otherwise take it for another one. @see RFC 8259 §8.1 */
export function jsonPayload(value: unknown): Payload {
  return { contentType: "application/json; charset=utf-8", headers: {}, body: JSON.stringify(value) };
}
