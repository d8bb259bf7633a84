import type { Send } from "../../support/send.js";

/** What a browser shows or is redirected to. */
export interface Visited {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** HTML. */
  readonly text: string;
  /** Path and query. */
  readonly target: string;
  /** Parameters of the redirect; empty without one. */
  readonly sent: Readonly<Record<string, string>>;
}

/** A minimal browser: one cookie, forms, redirects followed on demand. */
export interface Browser {
  /** Value of the cookie; undefined before the service set one. */
  cookie: string | undefined;
  open(target: string): Promise<Visited>;
  /** Submits the form of a page with one of its buttons. Fields are added to the hidden ones. */
  submit(page: Visited, action: string, fields?: Readonly<Record<string, string>>): Promise<Visited>;
  /** Follows a redirect within the service. */
  follow(visited: Visited): Promise<Visited>;
  request(method: string, target: string, options?: BrowserRequest): Promise<Visited>;
}

interface BrowserRequest {
  readonly form?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ORIGIN = "http://service.invalid";

export function createBrowser(send: Send): Browser {
  const browser: Browser = {
    cookie: undefined,
    async request(method, target, { form = "", headers = {} } = {}) {
      const response = await send({
        method,
        target,
        headers: {
          ...(browser.cookie === undefined ? {} : { cookie: browser.cookie }),
          ...(method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {}),
          ...headers,
        },
        body: new TextEncoder().encode(form),
      });
      const setCookie = response.headers["set-cookie"];
      if (setCookie !== undefined) browser.cookie = setCookie.split(";")[0];
      return { ...response, text: new TextDecoder().decode(response.body), target, sent: sentBy(response) };
    },
    open: (target) => browser.request("GET", target),
    submit(page, action, fields = {}) {
      const form = new URLSearchParams({ csrf: hiddenCsrf(page), ...fields, action }).toString();
      return browser.request("POST", resolve(page, attribute(page, /<form method="post" action="([^"]*)"/)), {
        form,
      });
    },
    follow: (visited) => browser.open(resolve(visited, visited.headers["location"] ?? "")),
  };
  return browser;
}

/** The token in the form of a page. */
export function hiddenCsrf(page: Visited): string {
  return attribute(page, /name="csrf" value="([^"]*)"/);
}

function attribute({ text, status }: Visited, pattern: RegExp): string {
  const value = pattern.exec(text)?.[1];
  if (value === undefined) throw new Error(`the page (${status}) has no ${pattern}: ${text}`);
  return value.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"');
}

function resolve({ target }: Visited, reference: string): string {
  const url = new URL(reference, `${ORIGIN}${target}`);
  if (url.origin !== ORIGIN) throw new Error(`${reference} leaves the service`);
  return `${url.pathname}${url.search}`;
}

function sentBy({ headers }: { readonly headers: Readonly<Record<string, string>> }): Record<string, string> {
  const query = headers["location"]?.split("?").slice(1).join("?");
  return Object.fromEntries(new URLSearchParams(query ?? ""));
}
