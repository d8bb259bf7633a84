import { JSON_MEDIA_TYPE } from "../../contract/media-type.js";
import { badRequest, ProblemError } from "./problem-error.js";

/** The largest body that is read, in bytes. */
export const BODY_LIMIT = 1024 * 1024;

/**
 * Reads a JSON body.
 * @throws ProblemError 413 when it is larger than BODY_LIMIT, 400 when it is no JSON or is not declared as such
 */
export function parseJsonBody(body: Uint8Array, contentType: string | undefined): unknown {
  if (body.byteLength > BODY_LIMIT) {
    throw new ProblemError(413, { errors: `the body must be at most ${BODY_LIMIT} bytes` });
  }
  if (!isJson(contentType)) throw badRequest(`the content type must be ${JSON_MEDIA_TYPE}`);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw badRequest("the body must be JSON in UTF-8");
  }
}

function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? "").split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  return type === JSON_MEDIA_TYPE && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}
