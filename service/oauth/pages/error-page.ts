import { STATUS_TITLES } from "../../../contract/problem.js";
import { html } from "../../../src/html/page.js";
import type { ProblemError, ServiceResponse } from "../../http/response.js";
import { pageResponse } from "./page.js";

/** Shown when the browser must not be redirected: what went wrong, and what the user can do. */
export function errorPage({ status, errors, headers }: ProblemError): ServiceResponse {
  const reason = typeof errors === "string" ? html`<p>${errors}</p>` : null;
  return pageResponse({
    status,
    title: TITLES[status] ?? STATUS_TITLES[status],
    headers,
    content: html`${reason}
<p class="soft last">${ADVICE[status] ?? "Go back to the app that opened this page and try again."}</p>`,
  });
}

const TITLES: Readonly<Record<number, string>> = {
  400: "This sign-in cannot continue",
  421: "This is not the address of the service",
  429: "Too many requests",
  500: "Something went wrong",
  503: "The service is busy",
};

const ADVICE: Readonly<Record<number, string>> = {
  400: "The app that opened this page is misconfigured, or its link was changed on the way. No access was granted.",
  421: "Go back to the app that opened this page and try again. An operator sets the address with --public-url.",
  429: "Wait a few minutes, then reload this page.",
  500: "It is not your fault. Reload this page; if that does not help, contact the operator of this service.",
  503: "Reload this page in a moment.",
};
