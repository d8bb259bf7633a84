import { CliError } from "../../errors.js";
import type { HttpResponse } from "../transport/transport.js";
import { type Call, requestOf, WRONG_BASE_URL } from "./call.js";
import { isRedirect, redirectTarget } from "./redirects.js";

/** A redirect that is not followed. */
export function redirected(call: Call, response: HttpResponse): CliError {
  const { status, headers } = response;
  const target = redirectTarget(headers["location"], call.url);
  const fault = (what: string, hint: string) =>
    new CliError("rejected", `${call.subject}: the service ${what} (${status})`, {
      ...requestOf(call),
      status,
      hint,
    });
  if (!isRedirect(status)) return fault("answers with a status that is no answer", WRONG_BASE_URL);
  if (target === null) return fault("redirects without saying where", WRONG_BASE_URL);
  if (target.origin !== new URL(call.url).origin) {
    const origin = target.origin === "null" ? target.protocol : target.origin;
    const hint = `the token is sent to ${new URL(call.url).origin} alone; if the service has moved, set base_url anew`;
    return fault(`redirects to ${origin}`, hint);
  }
  if (call.method !== "GET") {
    return fault(
      `redirects a ${call.method} to ${target.pathname}`,
      "is the base URL right? a write is not sent again",
    );
  }
  return fault(`redirects in circles, last to ${target.pathname}`, WRONG_BASE_URL);
}
