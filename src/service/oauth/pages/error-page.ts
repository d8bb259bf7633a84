import { STATUS_TITLES } from "../../../contract/problem.js";
import { html } from "../../../html/page.js";
import type { ProblemError, ServiceResponse } from "../../http/response.js";
import { pageResponse } from "./page.js";

/** Says what went wrong where the browser must not be sent on, and what the user can do. */
export function errorPage({ status, errors, headers }: ProblemError): ServiceResponse {
  const reason = typeof errors === "string" ? html`<p>${errors}</p>` : null;
  return pageResponse({
    status,
    title: TITLES[status] ?? STATUS_TITLES[status],
    headers,
    content: html`${reason}
<p class="soft last">${ADVICE[status] ?? "Go back to the program that opened this page and start again."}</p>`,
  });
}

const TITLES: Readonly<Record<number, string>> = {
  400: "This sign-in cannot go on",
  429: "Too many requests",
  500: "Something went wrong",
  503: "The service is busy",
};

const ADVICE: Readonly<Record<number, string>> = {
  400: "The program that opened this page is set up wrongly, or its address was changed on the way. Nobody has been given access.",
  429: "Wait a few minutes, then load this page again.",
  500: "It is not your fault. Load this page again; if that does not help, tell whoever runs this service.",
  503: "Load this page again in a moment.",
};
