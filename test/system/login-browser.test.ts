import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { type Chromium, launchChromium } from "../../service/test/oauth/support/chromium.js";
import { addressIn } from "../commands/account/login-run.js";
import { failed } from "../support/outcomes.js";
import { createInstallation, type Installation } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { words } from "../support/words.js";
import { startSession } from "./support/keyring.js";

/** A whole sign-in: the built program, the embedded service, a real browser and a real keyring. */

interface Sample {
  readonly base_url: string;
  readonly auth_url: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly user: { readonly name: string; readonly login: string; readonly password: string };
}

async function startService(): Promise<Sample> {
  const argv = ["service", "start", "--memory", "--sample", "--port", "0", "-o", "json"];
  return JSON.parse(
    await createInstallation()
      .start(...argv)
      .stdoutWith("\n"),
  );
}

function startLogin(installation: Installation, sample: Sample) {
  return installation.startWith(
    { env: { CALCTL_CLIENT_SECRET: sample.client_secret } },
    ...words`login --no-browser -p family --base-url ${sample.base_url} --auth-url ${sample.auth_url}`,
    ...["--client-id", sample.client_id],
  );
}

async function openPage(options: Parameters<typeof launchChromium>[0] = {}): Promise<Page> {
  const chromium: Chromium = await launchChromium(options);
  onTestFinished(() => chromium.close());
  return chromium.context.newPage();
}

async function signIn(page: Page, { user }: Sample): Promise<void> {
  await page.getByLabel("Login").fill(user.login);
  await page.getByLabel("Password").fill(user.password);
  await page.getByLabel("Password").press("Enter");
}

/** Run in the page, whose types are not Node's. */
const OVERFLOWS = "document.documentElement.scrollWidth > window.innerWidth";

describeWithSystem("chromium", "a person", () => {
  describeWithSystem("keyring", "with a browser and a keyring", () => {
    test("signs in and allows: the last page confirms it, and calctl is signed in", async () => {
      const [sample, session] = await Promise.all([startService(), startSession({ keyring: "unlocked" })]);
      const installation = createInstallation(session.env);
      const login = startLogin(installation, sample);
      const page = await openPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      await page.goto(addressIn(await login.stderrWith("code_challenge_method=S256\n")));
      await signIn(page, sample);
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByRole("heading", { name: `Signed in as ${sample.user.name}` }).waitFor();
      expect(new URL(page.url()).pathname).toBe("/callback");
      expect(await page.evaluate(OVERFLOWS)).toBe(false);
      // The browser requests an icon by itself, when the listener is already closed.
      expect(complaints.filter((text) => !text.includes("Failed to load resource"))).toEqual([]);
      expect(await login.ended).toMatchObject({
        exitCode: 0,
        stdout: "",
        stderr: expect.stringContaining(`signed in as ${sample.user.name}; profile in use: family`),
      });
      expect(await installation.run("whoami", "--fields", "name")).toEqual({
        exitCode: 0,
        stdout: `${sample.user.name}\n`,
        stderr: "",
      });
      expect((await installation.run("calendars", "--fields", "name")).stdout).toBe("Family\nWork\n");
      expect(JSON.parse((await installation.run("status", "-o", "json")).stdout)).toMatchObject({
        profile: "family",
        token_source: "keychain",
        signed_in: true,
      });
      expect((await installation.run("logout")).exitCode).toBe(0);
      expect((await installation.run("whoami")).exitCode).toBe(4);
    });

    test("denies: the last page confirms it, also in a phone's width, and calctl exits with 4 and stores nothing", async () => {
      const [sample, session] = await Promise.all([startService(), startSession({ keyring: "unlocked" })]);
      const installation = createInstallation(session.env);
      const login = startLogin(installation, sample);
      const page = await openPage({ viewport: { width: 360, height: 740 } });
      await page.goto(addressIn(await login.stderrWith("code_challenge_method=S256\n")));
      await signIn(page, sample);
      await page.getByRole("button", { name: "Deny" }).click();
      await page.getByRole("heading", { name: "Not signed in" }).waitFor();
      expect(await page.evaluate(OVERFLOWS)).toBe(false);
      expect(await login.ended).toMatchObject(failed(4, "declined"));
      expect((await installation.run("profiles", "list")).stdout).toBe("local\t\ttrue\n");
    });
  });
});
