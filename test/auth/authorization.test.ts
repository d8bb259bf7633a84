import { expect, test } from "vitest";
import { authorize } from "../../src/auth/authorization.js";
import { parseRedirectUri } from "../../src/config/redirect-uri.js";

const OPTIONS = {
  authUrl: new URL("https://calendar.example/oauth"),
  clientId: "client-1",
  clientSecret: "client-secret",
  redirect: parseRedirectUri("http://127.0.0.1/callback", "uri"),
  timeout: 20,
  profile: "work",
};

/** A sign-in whose browser does as it is told, and whose token endpoint gives a token. */
function signIn(
  openBrowser: (url: string, signal: AbortSignal) => Promise<void>,
  tell: (text: string) => void,
) {
  const body = new TextEncoder().encode('{"access_token":"token-1","token_type":"Bearer"}');
  return authorize(OPTIONS, {
    transport: async () => ({ status: 200, headers: {}, body }),
    showAddress: () => undefined,
    openBrowser,
    pastedLines: null,
    tell,
    onSecret: () => undefined,
    mask: (text) => text,
    signal: new AbortController().signal,
    keep: async (token) => ({ userName: "Ana", token }),
  });
}

/** What a browser does with the address of a sign-in. */
async function comeBack(url: string): Promise<void> {
  const asked = new URL(url).searchParams;
  await fetch(`${asked.get("redirect_uri")}?code=c&state=${asked.get("state")}`);
}

test("a launcher that fails is said, and the address works by hand", async () => {
  const said: string[] = [];
  let address = "";
  const kept = await signIn(
    async (url) => {
      address = url;
      throw new Error("no launcher");
    },
    (text) => {
      said.push(text);
      void comeBack(address);
    },
  );
  expect(kept).toEqual({ userName: "Ana", token: "token-1" });
  expect(said).toEqual(["no browser could be opened: open the address above by hand"]);
});

test("what keeps the token gives the result, and a launcher that fails later is not heard of", async () => {
  const said: string[] = [];
  const kept = await signIn(
    async (url, signal) => {
      await comeBack(url);
      signal.throwIfAborted();
    },
    (text) => said.push(text),
  );
  expect(kept).toEqual({ userName: "Ana", token: "token-1" });
  expect(said).toEqual([]);
});
