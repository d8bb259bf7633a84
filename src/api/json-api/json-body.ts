import { locateJsonError } from "../../contract/json-syntax.js";
import { errorCodeOf } from "../../errors.js";
import { type HttpResponse, TransportError } from "../transport.js";

/** A whole answer whose body is no JSON; the message says what it is instead. */
export class NotJsonError extends Error {
  override readonly name = "NotJsonError";
}

/**
 * Reads the JSON of a success. A byte-order mark is read over.
 * @throws TransportError cut_short when it ends too early, also where it has not begun
 * @throws NotJsonError when it is whole, and no JSON in UTF-8
 */
export async function readJsonBody(response: HttpResponse): Promise<unknown> {
  if (response.status === 204) throw new NotJsonError("the answer has no content (204)");
  const text = decode(response);
  if (text.trim() === "") throw cutShort("the answer is empty");
  try {
    return JSON.parse(text);
  } catch (cause) {
    if ((await locateJsonError(text)).atEnd) throw cutShort("the answer was cut short", cause);
    throw new NotJsonError(`the answer is not JSON${labelOf(response)}`, { cause });
  }
}

/** A character that is cut is the end of what came; any other wrong byte is no end. @see RFC 8259 §8.1 */
function decode(response: HttpResponse): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text: string;
  try {
    text = decoder.decode(response.body, { stream: true });
  } catch (cause) {
    if (errorCodeOf(cause) !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw cause;
    throw new NotJsonError(`the answer is not UTF-8${labelOf(response)}`, { cause });
  }
  try {
    return text + decoder.decode();
  } catch (cause) {
    throw cutShort("the answer was cut short", cause);
  }
}

function cutShort(message: string, cause?: unknown): TransportError {
  return new TransportError(message, { fault: "cut_short", sent: "answered", reason: "cut short", cause });
}

/** What the answer calls itself, where that explains what it is. */
function labelOf({ headers }: HttpResponse): string {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") return ` but ${encoding}, which was not asked for`;
  const type = headers["content-type"]?.split(";")[0]?.trim();
  return type === undefined || type === "" || type.endsWith("json") ? "" : ` but ${type}`;
}
