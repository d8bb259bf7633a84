import { randomUUID } from "node:crypto";
import { EXTENSIONS_HEADER } from "../../contract/extensions.js";
import { DEFAULT_MEDIA_TYPE } from "../../contract/media-types.js";
import { parseRateLimit, type RateLimit } from "../../contract/rate-limit.js";
import { CliError } from "../errors.js";
import { createEndpoints, type Endpoints, type KeyOf } from "./endpoints.js";
import { createJsonApi } from "./json-api/json-api.js";
import type { RawRead, RawResponse, SendRaw } from "./raw-request.js";
import { clockOffset, type RequestTimes, readServerTime } from "./sending/rate-limit.js";
import type { Send } from "./sending/sender.js";
import { createSender, type SenderOptions } from "./sending/sender.js";
import { type HttpResponse, isSuccess } from "./transport.js";

/** What writes events and comments. */
type WriteMethod = "createEvent" | "updateEvent" | "deleteEvent" | "createActivity" | "sendRaw";

/** What `write` (src/events/write.ts) sends with. */
export type WriteClient = Pick<Client, "getEvent" | WriteMethod>;

/** The client as commands have it: it reads, and writes feeds. Other writes are `write`'s, so that an undo can take them back. */
export type Api = Omit<Client, WriteMethod> & {
  sendRaw(request: RawRead): Promise<RawResponse>;
};

/** The contract's client. */
export interface Client extends Endpoints {
  /** A request to any path of the service. */
  sendRaw: SendRaw;
  /** From the headers of the last response; null before the first. */
  lastResponse(): ResponseInfo | null;
  /** Whether the service has an extension, as a response has said; before the first success, the calendar is read. */
  hasExtension(name: "feeds" | "keys" | "recurrences", calendarId: string): Promise<boolean>;
}

/** What the headers of a response say about the service. */
export interface ResponseInfo {
  readonly rateLimit: RateLimit | null;
  /** The service's time in milliseconds since the Unix epoch; null if it is missing, invalid, or from a cache. */
  readonly serverTime: number | null;
  /** How far the service's clock is ahead of this machine's, in milliseconds; null where `serverTime` is. */
  readonly clockOffset: number | null;
  /** What the service said in this run that it has beyond the contract; null before a success: a gateway may have responded. */
  readonly extensions: readonly string[] | null;
}

export interface ApiOptions extends Omit<SenderOptions, "onResponse"> {
  readonly baseUrl: URL;
  /** Value of `Accept`; the contract's own by default. */
  readonly mediaType?: string | undefined;
  /** Where the token came from, for messages; undefined without one. */
  readonly tokenSource?: string | undefined;
  /** Masks the secrets whose values are known. */
  readonly mask: (text: string) => string;
  /** Wraps the sender for `--dry-run`: writes are recorded instead of sent. */
  readonly withDryRun?: ((send: Send) => Send) | undefined;
}

/** The client over a transport that sends each request once. */
export function createApi(options: ApiOptions): Client {
  let lastResponse: HttpResponse | null = null;
  let lastTimes: RequestTimes = { sentAt: 0, receivedAt: 0 };
  let extensions: readonly string[] | null = null;
  const { baseUrl, mediaType = DEFAULT_MEDIA_TYPE, tokenSource, mask, withDryRun } = options;
  const sender = createSender({
    ...options,
    onResponse: (response, times) => {
      lastTimes = times;
      // A gateway that responds names none, and may respond at any time.
      const named = response.headers[EXTENSIONS_HEADER]?.split(",").map((name) => name.trim());
      extensions = named ?? extensions ?? (isSuccess(response) ? [] : null);
      // That of a success may be large, and nobody reads it again.
      const { status, headers } = response;
      lastResponse = isSuccess(response) ? { status, headers, body: new Uint8Array() } : response;
    },
  });
  const send = withDryRun?.(sender) ?? sender;
  const keyOf: KeyOf = async (calendarId, given) => {
    const isKept = () => hasExtension("keys", calendarId);
    if (given !== undefined && !(await isKept())) throw keepsNoKeys();
    if (extensions !== null && !(await isKept())) return undefined;
    return {
      text: given ?? randomUUID(),
      isGiven: given !== undefined,
      isKept: () => isKept().catch(notKept),
    };
  };
  const endpoints = createEndpoints(createJsonApi({ send, baseUrl, mediaType, tokenSource }), keyOf);
  const hasExtension: Client["hasExtension"] = async (name, calendarId) => {
    if (extensions === null) await endpoints.getCalendar(calendarId);
    return extensions?.includes(name) === true;
  };
  const raw = { send, baseUrl, mediaType, tokenSource, mask, lastResponse: () => lastResponse };
  return {
    ...endpoints,
    // Loaded only by the command that sends such requests.
    sendRaw: async (rawRequest) => {
      const { createRawRequest } = await import("./raw-request.js");
      return createRawRequest(raw)(rawRequest);
    },
    lastResponse: () => lastResponse && { extensions, ...readResponseInfo(lastResponse, lastTimes) },
    hasExtension,
  };
}

function keepsNoKeys(): CliError {
  return new CliError("rejected", "this service does not keep idempotency keys", {
    hint: "leave out the key; after exit 9, check before you repeat the command",
  });
}

/** Where the service cannot be asked, it is not known to keep keys. */
function notKept(error: unknown): false {
  if (!(error instanceof CliError) || error.code === "interrupted") throw error;
  return false;
}

function readResponseInfo({ headers }: HttpResponse, times: RequestTimes): Omit<ResponseInfo, "extensions"> {
  const serverTime = readServerTime(headers);
  const offset = serverTime === null ? null : clockOffset(headers, times);
  return { rateLimit: parseRateLimit(headers), serverTime, clockOffset: offset };
}
