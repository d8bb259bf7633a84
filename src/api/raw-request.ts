import { JSON_MEDIA_TYPE } from "../../contract/media-types.js";
import type { HttpMethod } from "../../contract/routes.js";
import { CliError, UNSET_VARIABLE, usageError } from "../errors.js";
import { createContractErrors, nameRequest, type RequestDescription } from "./json-api/errors.js";
import type { RequestErrors, Send } from "./sending/sender.js";
import { maskHeader } from "./trace/trace.js";
import type { HttpResponse } from "./transport.js";
import { pathBelow, urlBelow } from "./transport.js";

/** A request that the user writes, to any path of the service. */
export type RawRequest = RawRead | RawWrite;

export interface RawRead extends RawParts {
  readonly method: "GET";
}

export interface RawWrite extends RawParts {
  readonly method: Exclude<HttpMethod, "GET">;
}

interface RawParts {
  /** Below the base URL, with or without a slash at its beginning, or the whole URL. It may have a query. */
  readonly path: string;
  /** Added to the query of the path. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Sent as JSON; undefined for no body. */
  readonly body: string | undefined;
}

/** A complete response, whatever its status. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. Secrets are masked. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Null for a success. */
  readonly error: CliError | null;
}

/** Sends a request as every other is sent. @throws CliError without a response, and usage for a path that is refused */
export type SendRaw = (request: RawRequest) => Promise<RawResponse>;

export interface RawRequestOptions {
  readonly send: Send;
  readonly baseUrl: URL;
  /** Value of `Accept`. */
  readonly mediaType: string;
  readonly tokenSource: string | undefined;
  /** The last response of `send`. */
  readonly lastResponse: () => HttpResponse | null;
  /** Masks the secrets whose values are known. */
  readonly mask: (text: string) => string;
}

/** A repeated DELETE that finds nothing resolves with that response, since an earlier attempt may have succeeded. */
export function createRawRequest(options: RawRequestOptions): SendRaw {
  const { send, baseUrl, mediaType, tokenSource, lastResponse, mask } = options;
  return async ({ method, path, query, body }) => {
    const { url, below } = joinPath(baseUrl, path);
    for (const [name, value] of query) url.searchParams.append(name, value);
    const target = { method, path: below, url: url.href };
    const description: RequestDescription = { ...target, mediaType, tokenSource, subject: below };
    const { errors, refusal } = withRefusal(createContractErrors(description));
    const content = body === undefined ? {} : { body };
    const type = body === undefined ? {} : { "content-type": JSON_MEDIA_TYPE };
    try {
      const response = await send<HttpResponse | null>({
        request: { method, url: url.href, headers: { accept: mediaType, ...type }, ...content },
        name: nameRequest(description),
        errors,
        read: async (received) => received,
        ...(method === "DELETE" ? { ifGone: null } : {}),
      });
      return readable(response ?? lastResponse(), { error: null, mask });
    } catch (error) {
      if (refusal() === null || !(error instanceof CliError)) throw error;
      return readable(refusal(), { error, mask });
    }
  };
}

/** The same errors, and the response that became one. */
function withRefusal(errors: RequestErrors) {
  let refusal: HttpResponse | null = null;
  const watching: RequestErrors = {
    ...errors,
    fromResponse(response, attempts) {
      refusal = response;
      return errors.fromResponse(response, attempts);
    },
    fromRateLimit(limit) {
      refusal = limit.refusal;
      return errors.fromRateLimit(limit);
    },
  };
  return { errors: watching, refusal: () => refusal };
}

function readable(
  response: HttpResponse | null,
  { error, mask }: Pick<RawResponse, "error"> & Pick<RawRequestOptions, "mask">,
): RawResponse {
  if (response === null) throw new Error("a request ended without a response");
  const headers = Object.entries(response.headers).map(([name, value]) => [
    name,
    maskHeader(name, mask(value)),
  ]);
  return { status: response.status, headers: Object.fromEntries(headers), body: response.body, error };
}

/** @throws CliError usage for another origin, and for a path that is not below that of the base URL */
function joinPath(baseUrl: URL, path: string): { readonly url: URL; readonly below: string } {
  const base = urlBelow(baseUrl, "");
  const refuse = (problem: string, hint = "write a path below the base URL, such as /calendars") =>
    usageError(`PATH: ${problem}`, hint);
  if (path === "") throw refuse("it is empty", UNSET_VARIABLE);
  if (/[\s\\\p{Cc}]/u.test(path))
    throw refuse("white space, control characters and backslashes must be percent-encoded");
  if (path.includes("#")) throw refuse("it has a fragment, which is not sent", "write # as %23");
  const isWhole = /^[a-z][a-z0-9+.-]*:/i.test(path);
  if (path.startsWith("//") || (isWhole && !path.startsWith(`${base}/`)))
    throw refuse(`it is not below ${base}`);
  const [pathname = "", query] = (isWhole ? path.slice(base.length) : path.replace(/^\/?/, "/")).split(
    /\?(.*)/s,
  );
  if (leavesBase(pathname)) throw refuse('"." and "..", encoded or not, would leave the base URL');
  const url = new URL(urlBelow(baseUrl, `${pathname}${query === undefined ? "" : `?${query}`}`));
  const below = pathBelow(baseUrl, url);
  if (below === null) throw refuse(`it is not below ${base}`);
  return { url, below };
}

/**
 * Whether a server, or a proxy that decodes a path once more, could find dot segments or control characters in it.
 * @throws CliError usage when it is not percent-encoded
 */
function leavesBase(pathname: string): boolean {
  const decoded = decode(pathname);
  if (decoded === null) throw usageError("PATH: it is not percent-encoded UTF-8", "write % as %25");
  const isDots = (segment: string) => segment === "." || segment === "..";
  if (/\p{Cc}/u.test(decoded) || decoded.split(/[/\\]/).some(isDots)) return true;
  return decoded !== pathname && decode(decoded) !== null && leavesBase(decoded);
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
