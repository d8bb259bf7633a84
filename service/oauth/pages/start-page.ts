import { html } from "../../../src/html/page.js";
import type { ServiceResponse } from "../../http/response.js";
import { pageResponse } from "./page.js";

export interface StartPage {
  readonly baseUrl: string;
  /** Whether calctl can sign in without a registration. */
  readonly publicClient: boolean;
}

/** Says what this address is, to a user who opens it. */
export function startPage({ baseUrl, publicClient }: StartPage): ServiceResponse {
  const registration = publicClient
    ? null
    : html`<p>It asks for a client id and its secret, which the operator of this service gives you.</p>
`;
  return pageResponse({
    status: 200,
    title: "Sign-in of a calendar service",
    content: html`<p>Programs that show your calendars open this service in your browser, so that you can sign in and
decide what they may do. To sign in with calctl, run this in a terminal:</p>
<p><code>calctl login --base-url ${baseUrl}</code></p>
${registration}<p class="soft last">There is nothing to do on this page itself.</p>`,
  });
}
