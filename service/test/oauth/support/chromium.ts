import { type BrowserContext, chromium } from "playwright-core";
import { systemPart } from "../../../../test/support/system-parts.js";
import { words } from "../../../../test/support/words.js";
import { createFolder } from "../../support/world.js";

export interface Chromium {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

const ARGUMENTS = words`--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
  --disable-background-networking --disable-component-update --disable-sync`;

/** The system's Chromium, headless, with a new profile. */
export async function launchChromium(
  options: Parameters<typeof chromium.launchPersistentContext>[1] = {},
): Promise<Chromium> {
  const profile = createFolder();
  const context = await chromium.launchPersistentContext(profile.path, {
    executablePath: systemPart("chromium") ?? "",
    args: ARGUMENTS,
    // Chromium also writes files to HOME, which does not exist in tests.
    env: { ...process.env, HOME: profile.path },
    timeout: 0,
    ...options,
  });
  // Only the test's own timeout ends a wait: a busy machine may take longer than Playwright's 30 seconds.
  context.setDefaultTimeout(0);
  return {
    context,
    async close() {
      await context.close();
      profile.remove();
    },
  };
}
