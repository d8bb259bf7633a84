import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { describeWithSystem } from "../../../test/support/system.js";
import { listen, type ServiceListener } from "../../listen.js";
import { type Chromium, launchChromium } from "../oauth/support/chromium.js";
import {
  CHALLENGE,
  createOAuthStage,
  type Fields,
  type OAuthStage,
  PASSWORD,
  VERIFIER,
} from "../oauth/support/stage.js";

const HAS_IPV6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);

/**
 * A client's listener: responds with the query of the request. At /onward it redirects the browser to another host, at
 * /frame it shows a page in a frame.
 */
async function startClient(host: string): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://client");
    if (url.pathname === "/onward") {
      const { port } = server.address() as AddressInfo;
      response.writeHead(302, { location: `http://localhost:${port}/callback${url.search}` }).end();
    } else if (url.pathname === "/frame") {
      const src = (url.searchParams.get("src") ?? "").replaceAll("&", "&amp;");
      response.writeHead(200, { "content-type": "text/html" }).end(`<iframe src="${src}"></iframe>`);
    } else {
      response.writeHead(200, { "content-type": "text/plain", connection: "close" });
      response.end(`${request.method} ${url.search}`);
    }
  });
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { server, origin: `http://${host.includes(":") ? `[${host}]` : host}:${port}` };
}

/** Run in the page, whose types are not Node's. */
const LOOK = `({
  overflow: document.documentElement.scrollWidth > window.innerWidth,
  ground: getComputedStyle(document.body).backgroundColor,
})`;

describeWithSystem("chromium", "the pages in Chromium", () => {
  let stage: OAuthStage;
  let listener: ServiceListener;
  let chromium: Chromium;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    stage = await createOAuthStage();
    listener = await listen(stage.world.service, { host: "127.0.0.1", port: 0 });
    chromium = await launchChromium();
  });
  afterAll(async () => {
    await chromium.close();
    await listener.close();
    await stage.close();
  });
  beforeEach(async () => {
    await chromium.context.clearCookies();
    page = await chromium.context.newPage();
    complaints = [];
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("status of 4"))
        complaints.push(message.text());
    });
  });
  afterEach(() => page.close());

  const addressOf = (changes: Fields = {}) => `${listener.baseUrl}${stage.authorize(changes)}`;

  async function signIn(password = PASSWORD): Promise<void> {
    await page.getByLabel("Login").fill("member");
    await page.getByLabel("Password").fill(password);
    await page.getByLabel("Password").press("Enter");
  }

  async function goBackTo(client: { readonly server: Server; readonly origin: string }, path: string) {
    const redirect_uri = `${client.origin}${path}`;
    const registered = await stage.world.service.admin.clients.add({
      name: "Client",
      redirectUris: [redirect_uri],
    });
    const { client_id, client_secret } = registered;
    const state = "a b&c=ä";
    const challenge = { code_challenge: CHALLENGE, code_challenge_method: "S256" };
    await page.goto(addressOf({ client_id, redirect_uri, state, ...challenge }));
    await signIn();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL((url) => url.searchParams.has("code"));
    const { searchParams } = new URL(page.url());
    expect(searchParams.get("state")).toBe(state);
    expect(await page.textContent("body")).toMatch(/^GET \?code=[\w-]{43}&state=/);
    const code = searchParams.get("code") ?? "";
    const answer = await stage.exchange({
      client_id,
      client_secret,
      redirect_uri,
      code,
      code_verifier: VERIFIER,
    });
    expect(answer.status).toBe(200);
    client.server.close();
  }

  test("lead from the login to the client's page on 127.0.0.1", async () => {
    await goBackTo(await startClient("127.0.0.1"), "/callback");
    expect(complaints).toEqual([]);
  });

  test("lead to the client's page on [::1]", async ({ skip }) => {
    skip(!HAS_IPV6, "this machine has no ::1");
    await goBackTo(await startClient("::1"), "/callback");
    expect(complaints).toEqual([]);
  });

  test("do not stop a client that redirects the browser to another host", async () => {
    await goBackTo(await startClient("127.0.0.1"), "/onward");
    expect(new URL(page.url()).hostname).toBe("localhost");
  });

  test("send forms that say where they come from", async () => {
    const sent: Promise<Record<string, string>>[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push(request.allHeaders());
    });
    await page.goto(addressOf().replace("127.0.0.1", "localhost"));
    await signIn();
    await page.getByRole("button", { name: "Use another account" }).click();
    await page.getByLabel("Password").waitFor();
    const origin = listener.baseUrl.replace("127.0.0.1", "localhost");
    const expected = { origin, "sec-fetch-site": "same-origin" };
    expect(await Promise.all(sent)).toMatchObject([expected, expected]);
  });

  test("ask again after a wrong password, and let the user deny", async () => {
    const client = await startClient("127.0.0.1");
    await page.goto(addressOf({ redirect_uri: `${client.origin}/callback` }));
    await signIn("wrong");
    expect(await page.getByRole("alert").textContent()).toBe("The login or the password is wrong.");
    expect(await page.getByLabel("Login").inputValue()).toBe("member");
    expect(await page.locator(":focus").getAttribute("name")).toBe("password");
    await signIn();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.waitForURL(/error=access_denied/);
    expect(await page.textContent("body")).toMatch(/^GET \?error=access_denied&/);
    client.server.close();
  });

  test("let the user switch accounts", async () => {
    await page.goto(addressOf());
    await signIn();
    await page.getByRole("button", { name: "Use another account" }).click();
    await page.getByLabel("Password").waitFor();
    await page.goto(addressOf());
    expect(await page.getByRole("button", { name: "Allow" }).count()).toBe(0);
  });

  test("are not shown in a frame, not even by the same host", async () => {
    const outer = await startClient("127.0.0.1");
    await page.goto(`${outer.origin}/frame?${new URLSearchParams({ src: addressOf() })}`);
    const [, frame] = page.frames();
    expect(frame?.url()).toBe("chrome-error://chromewebdata/");
    expect(await frame?.getByLabel("Login").count()).toBe(0);
    outer.server.close();
  });

  test.each([
    ["desktop, light", { width: 1280, height: 800 }, "light"],
    ["phone, dark", { width: 390, height: 844 }, "dark"],
    ["very narrow", { width: 280, height: 600 }, "light"],
  ] as const)("fit the window and are styled: %s", async (_, viewport, colorScheme) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.goto(addressOf());
    const look = () => page.evaluate(LOOK);
    const ground = colorScheme === "dark" ? "rgb(17, 22, 29)" : "rgb(238, 241, 245)";
    expect(await look()).toEqual({ overflow: false, ground });
    await signIn();
    await page.getByRole("button", { name: "Allow" }).waitFor();
    expect(await look()).toEqual({ overflow: false, ground });
    expect(complaints).toEqual([]);
  });
});
