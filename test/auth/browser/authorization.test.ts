import { expect, test } from "vitest";
import { authorize } from "../../../src/auth/browser/authorization.js";
import { parseRedirectUri } from "../../../src/config/profile-values.js";

const OPTIONS = {
  authServer: new URL("https://calendar.example/oauth"),
  clientId: "client-1",
  clientSecret: "client-secret",
  redirect: parseRedirectUri("http://127.0.0.1/callback", "uri"),
  timeout: 20,
  profile: "work",
};

/** A sign-in with a given browser and a token endpoint that returns a token. */
function signIn(
  openBrowser: (url: string, signal: AbortSignal) => Promise<void>,
  warn: (text: string) => void,
) {
  const body = new TextEncoder().encode('{"access_token":"token-1","token_type":"Bearer"}');
  return authorize(OPTIONS, {
    transport: async () => ({ status: 200, headers: {}, body }),
    showAddress: () => undefined,
    openBrowser,
    pastedLines: null,
    warn,
    redactor: { add: () => undefined, mask: (text) => text },
    signal: new AbortController().signal,
    accept: async (token) => ({ id: token, type: "user", name: "Ana", description: null, image_url: null }),
  });
}

/** What a browser does with the address of a sign-in. */
async function comeBack(url: string): Promise<void> {
  const asked = new URL(url).searchParams;
  await fetch(`${asked.get("redirect_uri")}?code=c&state=${asked.get("state")}`);
}

test("a launcher that fails is reported, and the user can open the address", async () => {
  const said: string[] = [];
  let address = "";
  const user = await signIn(
    async (url) => {
      address = url;
      throw new Error("no launcher");
    },
    (text) => {
      said.push(text);
      void comeBack(address);
    },
  );
  expect(user).toMatchObject({ id: "token-1", name: "Ana" });
  expect(said).toEqual(["no browser could be opened: open the address above yourself"]);
});

test("returns the user of the token, and ignores a launcher that fails later", async () => {
  const said: string[] = [];
  const user = await signIn(
    async (url, signal) => {
      await comeBack(url);
      signal.throwIfAborted();
    },
    (text) => said.push(text),
  );
  expect(user).toMatchObject({ id: "token-1", name: "Ana" });
  expect(said).toEqual([]);
});
