import { JSON_MEDIA_TYPE } from "../../contract/media-type.js";
import { badRequest, ProblemError } from "./problem-error.js";

/** The largest body that is read, in bytes. */
export const BODY_LIMIT = 1024 * 1024;

/**
 * Reads a JSON body.
 * @param headers of its request, names in lower case
 * @throws ProblemError 413 when it is larger than BODY_LIMIT, 400 when it is no JSON, is not declared as such or is
 * compressed: the contract has no 415
 */
export function parseJsonBody(body: Uint8Array, headers: Readonly<Record<string, string>>): unknown {
  if (body.byteLength > BODY_LIMIT) {
    throw new ProblemError(413, { errors: `the body must be at most ${BODY_LIMIT} bytes` });
  }
  if (!isJson(headers["content-type"])) throw badRequest(`the content type must be ${JSON_MEDIA_TYPE}`);
  if (!isPlain(headers["content-encoding"])) throw badRequest("the body must not have a content encoding");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw badRequest("the body must be JSON in UTF-8");
  }
}

/** @see RFC 9110 §8.4 */
function isPlain(contentEncoding = ""): boolean {
  return contentEncoding.split(",").every((coding) => ["", "identity"].includes(coding.trim().toLowerCase()));
}

function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? "").split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  return type === JSON_MEDIA_TYPE && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}
