import { beforeEach, expect, test } from "vitest";
import { createConfigFile, type StoreName } from "../../src/config/config.js";
import { createTargetStorage, type TargetStorage } from "../../src/delivery/target-storage.js";
import { accountOf, type SecretStore } from "../../src/secrets/store.js";
import { sleepFor } from "../../src/system/clock.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Two commands that change one target at the same time. */

const SLACK = { name: "team", as: "slack" };
const MAIL = { name: "team", as: "mail", to: "ana@example.org" };

let kept: Map<string, string>;
let storage: TargetStorage;
/** Does another command's work while a secret is changed, until that ends or waits for this one. */
let meanwhile: (() => Promise<void>) | null;
let other: Promise<void>;
let reportWait: () => void;

beforeEach(() => {
  kept = new Map();
  meanwhile = null;
  reportWait = () => undefined;
  const directory = temporaryFolder();
  const configFile = createConfigFile({
    directory: () => directory,
    userId: null,
    process,
    sleep: (milliseconds, signal) => {
      reportWait();
      return sleepFor(milliseconds, signal);
    },
  });
  const signal = () => new AbortController().signal;
  storage = createTargetStorage({ configFile, openStore, warn: () => undefined, signal });
});

async function openStore(name: StoreName): Promise<SecretStore> {
  const change = async (): Promise<void> => {
    const work = meanwhile;
    meanwhile = null;
    if (work === null) return;
    const waits = new Promise<void>((resolve) => {
      reportWait = resolve;
    });
    other = work();
    await Promise.race([other, waits]);
  };
  const place = (key: Parameters<typeof accountOf>[0]) => `${name} ${accountOf(key)}`;
  return {
    name,
    probe: async () => undefined,
    async save(key, secret) {
      await change();
      kept.set(place(key), secret);
    },
    load: async (key) => kept.get(place(key)) ?? null,
    async remove(key) {
      await change();
      return kept.delete(place(key));
    },
  };
}

function saveUrl(url: string, insecureStorage = false): Promise<void> {
  return storage.save(SLACK, { replace: true, readUrl: async () => url, insecureStorage });
}

test("a target that becomes mail does not take the URL that another command has just saved", async () => {
  await saveUrl("https://one.example");
  meanwhile = () => saveUrl("https://two.example");
  await storage.save(MAIL, { replace: true, readUrl: null, insecureStorage: false });
  await other;
  const record = storage.records().get("team");
  expect(record).toEqual({ as: "slack", store: "keychain" });
  expect(await storage.loadUrl("team", record ?? {})).toBe("https://two.example");
});

test("the URL of a removed target is gone, also if another command had just moved it", async () => {
  await saveUrl("https://one.example");
  meanwhile = () => storage.remove("team");
  await saveUrl("https://two.example", true);
  await other;
  expect(storage.records()).toEqual(new Map());
  expect(kept).toEqual(new Map());
});
