import { createHook } from "node:async_hooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashPassword } from "../../secrets.js";
import { type Browser, hiddenCsrf, type Visited } from "./support/browser.js";
import { createOAuthStage, type OAuthStage, PASSWORD } from "./support/stage.js";
import { holdThreadPool } from "./support/thread-pool.js";

const MINUTE = 60_000;

let stage: OAuthStage;
let browser: Browser;
beforeAll(async () => {
  stage = await createOAuthStage();
});
afterAll(() => stage.close());
beforeEach(() => {
  browser = stage.browser();
  // Attempts of another test no longer count.
  stage.world.clock.now += 15 * MINUTE;
});

async function attempt(login: string, password: string, from = browser) {
  return from.submit(await from.open(stage.authorize()), "sign-in", { login, password });
}

/** Counts how often scrypt runs during some work. */
async function countDerivations<T>(work: () => Promise<T>): Promise<{ count: number; result: T }> {
  let count = 0;
  const hook = createHook({
    init(_, type) {
      if (type === "SCRYPTREQUEST") count += 1;
    },
  });
  hook.enable();
  try {
    const result = await work();
    return { count, result };
  } finally {
    hook.disable();
  }
}

describe("signing in", () => {
  test("leads to the consent page", async () => {
    const signedIn = await attempt("member", PASSWORD);
    expect(signedIn.status).toBe(303);
    const page = await browser.follow(signedIn);
    expect(page.status).toBe(200);
    expect(page.text).toContain("<bdi>member</bdi>");
    expect(page.text).toContain('value="allow"');
    expect((await browser.open(stage.authorize())).text).toContain('value="allow"');
  });

  test("ignores the case of the login", async () => {
    expect((await attempt("MEMBER", PASSWORD)).status).toBe(303);
  });

  test("accepts a shorter password from before passwords had a minimum length", async () => {
    const stored = await createOAuthStage();
    const hash = await hashPassword("1234", { ln: 4, r: 1, p: 1 });
    await stored.world.tables.change(`update users set password_hash = '${hash}' where name = 'second'`);
    const from = stored.browser();
    const credentials = { login: "second", password: "1234" };
    const answer = await from.submit(await from.open(stored.authorize()), "sign-in", credentials);
    expect(answer.status).toBe(303);
    await stored.close();
  });

  test.each([
    ["a wrong password", "member", "wrong"],
    ["no password", "member", ""],
    ["a user without a password", "second", ""],
    ["an unknown login", "nobody", PASSWORD],
    ["no login", "", PASSWORD],
  ])("is rejected with %s, always with the same message", async (_, login, password) => {
    const page = await attempt(login, password);
    expect(page).toMatchObject({ status: 403, sent: {} });
    expect(page.text).toContain('role="alert">The login or the password is wrong.</p>');
    expect(page.text).toContain(`name="login" value="${login}"`);
    expect((await browser.open(stage.authorize())).text).not.toContain('value="allow"');
  });

  test("takes the same work for every login", async () => {
    await stage.world.service.admin.users.add({ name: "gone", password: PASSWORD });
    await stage.world.service.admin.users.disable("gone");
    const page = await browser.open(stage.authorize());
    for (const login of ["member", "second", "gone", "nobody"]) {
      const wrong = () => browser.submit(page, "sign-in", { login, password: "wrong" });
      expect(await countDerivations(wrong), login).toMatchObject({ count: 1, result: { status: 403 } });
    }
    expect((await attempt("gone", PASSWORD)).status).toBe(403);
  });

  // Put in order, these would stop the service for minutes.
  const marks = "\u0315\u0316".repeat(80_000);
  test.each([
    ["a login", marks, PASSWORD],
    ["a password", "member", marks],
    ["a password of 1,025 characters", "member", "a".repeat(1_025)],
    ["a NUL character in the password", "member", `${PASSWORD}\0`],
  ])("is rejected without work for %s that nobody can have", async (_, login, password) => {
    const page = await browser.open(stage.authorize());
    const { count, result } = await countDerivations(() =>
      browser.submit(page, "sign-in", { login, password }),
    );
    expect(count).toBe(0);
    expect(result.status).toBe(403);
    expect(result.text).toContain("The login or the password is wrong.");
  });

  test("shows the login again as text, and no password", async () => {
    const page = await attempt(`"><script>x</script>`, "my secret");
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;x&lt;/script&gt;"');
    expect(page.text).not.toContain("my secret");
  });
});

describe("the cookie", () => {
  const cookieOf = async (baseUrl?: string) => {
    const hostHeader = { host: baseUrl === undefined ? "" : new URL(baseUrl).host };
    const { headers } = await stage.world.service.handle(
      { method: "GET", target: stage.authorize(), headers: hostHeader, body: new Uint8Array() },
      { kind: "network", address: "192.0.2.1", ...(baseUrl === undefined ? {} : { baseUrl }) },
    );
    return headers["set-cookie"];
  };

  test.each([
    [undefined, "/oauth/authorize", ""],
    ["http://127.0.0.1:8787", "/oauth/authorize", ""],
    ["https://calendars.example.org", "/oauth/authorize", "; Secure"],
    ["https://example.org/calendars", "/calendars/oauth/authorize", "; Secure"],
  ])("of a service at %s is only sent to its authorization page", async (baseUrl, path, secure) => {
    const pattern = `^calctl_session=[\\w-]{43}; Path=${path}; HttpOnly; SameSite=Lax${secure}$`;
    expect(await cookieOf(baseUrl)).toMatch(new RegExp(pattern));
  });

  test("changes when the user signs in, which prevents session fixation", async () => {
    await browser.open(stage.authorize());
    const planted = browser.cookie;
    await attempt("member", PASSWORD);
    expect(browser.cookie).not.toBe(planted);
    const thief = stage.browser();
    thief.cookie = planted;
    expect((await thief.open(stage.authorize())).text).not.toContain('value="allow"');
  });

  test.each(["", "calctl_session=", "calctl_session=x", `calctl_session=${"a".repeat(43)}`, "other=1; =;;"])(
    "%j is ignored",
    async (cookie) => {
      browser.cookie = cookie;
      const page = await browser.open(stage.authorize());
      expect(page.status).toBe(200);
      expect(page.text).not.toContain('value="allow"');
    },
  );

  test("is found among others", async () => {
    await stage.signIn(browser);
    browser.cookie = `theme=dark; ${browser.cookie}; x=1`;
    expect((await browser.open(stage.authorize())).text).toContain('value="allow"');
  });
});

describe("a cookie that is sent twice", () => {
  test("is ignored: another site may have set one of them", async () => {
    await stage.signIn(browser);
    const own = browser.cookie;
    const attacker = stage.browser();
    await stage.signIn(attacker);
    for (const cookie of [`${attacker.cookie}; ${own}`, `${own}; ${attacker.cookie}`]) {
      browser.cookie = cookie;
      expect((await browser.open(stage.authorize())).text).not.toContain('value="allow"');
    }
  });
});

describe("a session", () => {
  const isSignedIn = async () => (await browser.open(stage.authorize())).text.includes('value="allow"');
  beforeEach(async () => {
    await stage.signIn(browser);
  });

  test("ends after eight hours", async () => {
    stage.world.clock.now += 8 * 60 * MINUTE - 1;
    expect(await isSignedIn()).toBe(true);
    stage.world.clock.now += 1;
    expect(await isSignedIn()).toBe(false);
  });

  test("ends when the user switches accounts, and its cookie is no longer valid", async () => {
    const ended = browser.cookie;
    const page = await browser.follow(await browser.submit(await browser.open(stage.authorize()), "switch"));
    expect(page.text).toContain("current-password");
    browser.cookie = ended;
    expect(await isSignedIn()).toBe(false);
  });

  test("ends when the password changes", async () => {
    await stage.world.service.admin.users.setPassword("member", PASSWORD);
    expect(await isSignedIn()).toBe(false);
  });

  test("asks to sign in again when the user decides after its end", async () => {
    const page = await browser.open(stage.authorize());
    stage.world.clock.now += 8 * 60 * MINUTE;
    for (const action of ["allow", "deny"]) {
      const again = await browser.submit(page, action);
      expect(again).toMatchObject({ status: 403, sent: {} });
      expect(again.text).toContain("no longer signed in");
      expect(again.text).toContain("current-password");
    }
  });
});

describe("a form that was not rendered for this browser", () => {
  let signedIn: Browser;
  beforeAll(async () => {
    signedIn = stage.browser();
    await stage.signIn(signedIn);
  });
  const post = (form: Record<string, string>, from: Browser) =>
    from.request("POST", stage.authorize(), { form: new URLSearchParams(form).toString() });

  test("does not sign in", async () => {
    const other = stage.browser();
    const csrf = hiddenCsrf(await other.open(stage.authorize()));
    await browser.open(stage.authorize());
    const credentials = { login: "member", password: PASSWORD, action: "sign-in" };
    for (const form of [credentials, { ...credentials, csrf: "" }, { ...credentials, csrf }]) {
      const page = await post(form, browser);
      expect(page).toMatchObject({ status: 403, sent: {} });
      expect(page.text).toContain("out of date");
      expect(page.text).not.toContain('value="allow"');
    }
    const withoutCookie = await post({ ...credentials, csrf }, stage.browser());
    expect(withoutCookie.status).toBe(403);
    expect(withoutCookie.text).toContain("blocks cookies");
  });

  test.each(["allow", "deny", "switch"])("does not %s in the user's name", async (action) => {
    const page = await signedIn.open(stage.authorize());
    const other = stage.browser();
    const foreign = hiddenCsrf(await other.open(stage.authorize()));
    for (const csrf of ["", foreign, `${hiddenCsrf(page)}x`]) {
      const answer = await post({ action, csrf }, signedIn);
      expect(answer).toMatchObject({ status: 403, sent: {} });
      // Still signed in, and the consent page is shown again.
      expect(answer.text).toContain('value="allow"');
    }
    expect((await signedIn.submit(page, "allow")).sent).toHaveProperty("code");
  });

  test("is out of date after signing in if it is older", async () => {
    const before = await browser.open(stage.authorize());
    await stage.signIn(browser);
    expect((await browser.submit(before, "allow")).status).toBe(403);
  });

  test.each([
    ["another type", "action=allow", { "content-type": "text/plain" }],
    ["no type", "action=allow", { "content-type": "" }],
    ["JSON", `{"action":"allow"}`, { "content-type": "application/json" }],
    ["a field twice", "action=deny&action=allow", {}],
    ["bad encoding", "action=%zz", {}],
  ])("is rejected: %s", async (_, form, headers) => {
    const page = await signedIn.open(stage.authorize());
    const answer = await signedIn.request("POST", stage.authorize(), {
      form: `csrf=${hiddenCsrf(page)}&${form}`,
      headers,
    });
    expect(answer).toMatchObject({ status: 400, sent: {} });
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
  });

  test("is rejected when its action is unknown or it is too large", async () => {
    const page = await signedIn.open(stage.authorize());
    expect((await signedIn.submit(page, "grant")).status).toBe(400);
    expect((await signedIn.submit(page, "allow", { x: "x".repeat(1024 * 1024) })).status).toBe(413);
  });
});

describe("attempts to sign in", () => {
  const succeed = (address: string) => attempt("member", PASSWORD, stage.browser(address));

  /**
   * Answers to attempts that are made at the same time, each from its own browser. No password is verified before so many
   * of them were refused.
   */
  async function attemptAtOnce(addresses: readonly string[], password: string, refusals: number) {
    const pages = await Promise.all(
      addresses.map(async (address) => {
        const from = stage.browser(address);
        return { from, page: await from.open(stage.authorize()) };
      }),
    );
    const release = holdThreadPool();
    let answered = 0;
    return Promise.all(
      pages.map(async ({ from, page }) => {
        const answer = await from.submit(page, "sign-in", { login: "member", password });
        answered += 1;
        if (answered === refusals) await release();
        return answer;
      }),
    );
  }
  const countBy = (answers: readonly Visited[], status: number) =>
    answers.filter((answer) => answer.status === status).length;

  test("are verified two at a time for one address, which waits for its next ones", async () => {
    const flood = Array.from({ length: 10 }, () => "192.0.2.1");
    const { count, result } = await countDerivations(() =>
      attemptAtOnce([...flood, "192.0.2.2"], PASSWORD, 8),
    );
    expect(count).toBe(3);
    expect([countBy(result, 303), countBy(result, 429)]).toEqual([3, 8]);
    expect(result.at(-1)?.status).toBe(303);
    const refused = result.find(({ status }) => status === 429);
    expect(refused).toMatchObject({ headers: { "retry-after": "1" }, sent: {} });
    expect(refused?.text).toContain("at the same time");
    expect((await succeed("192.0.2.1")).status).toBe(303);
  });

  test("are verified for twenty addresses at a time, others come back later", async () => {
    const addresses = Array.from({ length: 25 }, (_, host) => `198.51.100.${host}`);
    const { count, result } = await countDerivations(() => attemptAtOnce(addresses, "wrong", 5));
    expect(count).toBe(20);
    expect([countBy(result, 403), countBy(result, 503)]).toEqual([20, 5]);
    const refused = result.find(({ status }) => status === 503);
    expect(refused).toMatchObject({ headers: { "retry-after": "2" }, sent: {} });
    expect(refused?.text).toContain("current-password");
  });

  test("are limited to five, then the right password is rejected too until the window ends", async () => {
    const results = [];
    for (const password of ["1", "2", "3", "4", "5", "6", PASSWORD]) {
      results.push((await attempt("Member", password)).status);
    }
    expect(results).toEqual([403, 403, 403, 403, 403, 429, 429]);
    const rejected = await succeed("192.0.2.1");
    expect(rejected).toMatchObject({ status: 429, headers: { "retry-after": "900" }, sent: {} });
    expect(rejected.text).toContain("Please try again in 15 minutes.");
    expect((await succeed("192.0.2.2")).status).toBe(303);
    stage.world.clock.now += 15 * MINUTE - 1;
    expect((await succeed("192.0.2.1")).text).toContain("in a minute.");
    stage.world.clock.now += 1;
    expect((await succeed("192.0.2.1")).status).toBe(303);
  });

  test("beyond the limit need no write: another process may have the lock", async () => {
    const pauses: number[] = [];
    const stored = await createOAuthStage({ sleep: async (pause) => void pauses.push(pause) });
    const visitor = stored.browser();
    const guess = async () =>
      visitor.submit(await visitor.open(stored.authorize()), "sign-in", {
        login: "member",
        password: "wrong",
      });
    for (let count = 0; count < 5; count += 1) expect((await guess()).status).toBe(403);
    const unlock = await stored.world.tables.lock();
    expect((await guess()).status).toBe(429);
    expect(pauses).toEqual([]);
    await unlock();
    await stored.close();
  });

  test("that succeed reset the failed ones of their address", async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let guess = 0; guess < 4; guess += 1) expect((await attempt("member", "wrong")).status).toBe(403);
      expect((await attempt("member", PASSWORD)).status).toBe(303);
    }
  });
});
