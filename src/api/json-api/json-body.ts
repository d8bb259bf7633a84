import { locateJsonError } from "../../contract/json.js";
import { errorCodeOf } from "../../errors.js";
import { type HttpResponse, TransportError } from "../transport.js";

/** Thrown when a complete response is not JSON. The message says what it is instead. */
export class NotJsonError extends Error {
  override readonly name = "NotJsonError";
}

/**
 * Reads the JSON of a success. A byte-order mark is skipped.
 * @throws TransportError cut_short when the body ends too early or is empty
 * @throws NotJsonError when it is complete, but not JSON in UTF-8
 */
export async function readJsonBody(response: HttpResponse): Promise<unknown> {
  if (response.status === 204) throw new NotJsonError("the response has no content (204)");
  const text = decode(response);
  if (text.trim() === "") throw cutShort("the response is empty");
  try {
    return JSON.parse(text);
  } catch (cause) {
    if ((await locateJsonError(text)).atEnd) throw cutShort("the response was cut short", cause);
    throw new NotJsonError(`the response is not JSON${describeType(response)}`, { cause });
  }
}

/** An incomplete character at the end means that the body was cut; anywhere else it is not UTF-8. @see RFC 8259 §8.1 */
function decode(response: HttpResponse): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text: string;
  try {
    text = decoder.decode(response.body, { stream: true });
  } catch (cause) {
    if (errorCodeOf(cause) !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw cause;
    throw new NotJsonError(`the response is not UTF-8${describeType(response)}`, { cause });
  }
  try {
    return text + decoder.decode();
  } catch (cause) {
    throw cutShort("the response was cut short", cause);
  }
}

function cutShort(message: string, cause?: unknown): TransportError {
  return new TransportError(message, { kind: "cut_short", sent: "answered", reason: "cut short", cause });
}

/** The response's own encoding or type, where that explains the error. */
function describeType({ headers }: HttpResponse): string {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") return ` but ${encoding}, which was not requested`;
  const type = headers["content-type"]?.split(";")[0]?.trim();
  return type === undefined || type === "" || type.endsWith("json") ? "" : ` but ${type}`;
}
