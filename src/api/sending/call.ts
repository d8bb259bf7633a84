import type { HttpMethod } from "../../contract/routes.js";
import type { CliErrorOptions } from "../../errors.js";
import type { HttpResponse } from "../transport/transport.js";
import { serviceWords } from "./service-words.js";

/** One call of the client, as messages speak of it. */
export interface Call {
  readonly method: HttpMethod;
  /** Path below the base URL, without the query. */
  readonly path: string;
  /** The whole address. */
  readonly url: string;
  /** Value of `Accept`. */
  readonly mediaType: string;
  /** Where the token came from; undefined without one. */
  readonly tokenSource?: string | undefined;
  /** What is read or written: `event abc`, `the calendars`. */
  readonly subject: string;
  /** What a 404 says is not there, where it is not the subject itself. */
  readonly notFound?: string | undefined;
  /** Where to look when it is unknown whether a write was done. */
  readonly lookAt?: string | undefined;
}

/** The hint where something answers that no service of the contract would. */
export const WRONG_BASE_URL = "is the base URL that of a calendar sharing service?";

/** What the errors of a call have in common. */
export function requestOf(call: Call): { readonly request: string } {
  return { request: `${call.method} ${call.path}` };
}

/** What the errors of an answer have in common. */
export function answerOptions(call: Call, response: HttpResponse): CliErrorOptions {
  return { ...requestOf(call), status: response.status, details: serviceWords(response) };
}
