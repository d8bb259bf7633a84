import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { clearTokenRecord, saveProfile } from "../../src/auth/token-storage.js";
import { type ConfigFile, createConfigFile, readTokenRecord } from "../../src/config/config.js";
import { temporaryFolder } from "../support/temporary-folder.js";

function createFile(): ConfigFile {
  const directory = temporaryFolder();
  return createConfigFile({
    directory: () => directory,
    userId: null,
    process,
  });
}

describe("the profile of a login", () => {
  const target = (profile: string) => ({ profile, baseUrl: new URL("https://x.example"), replace: false });
  const record = { store: "file", origin: "https://x.example" } as const;

  test("keeps unknown members and other profiles", async () => {
    const file = createFile();
    writeFileSync(file.path, '{"version":9,"profiles":{"work":{"calendar":"Team"}}}');
    await saveProfile(file, target("new"), { changes: { base_url: "https://x.example" }, record });
    expect(JSON.parse(readFileSync(file.path, "utf8"))).toEqual({
      version: 9,
      profile: "new",
      profiles: {
        work: { calendar: "Team" },
        new: { base_url: "https://x.example", token_store: "file", token_origin: "https://x.example" },
      },
    });
  });

  test("loses its record when its token is removed, unless a newer one was stored", async () => {
    const file = createFile();
    await saveProfile(file, target("work"), { changes: {}, record });
    await clearTokenRecord(file, "work", { ...record, origin: "https://before.example" });
    expect(readTokenRecord(file.read(), "work")).toEqual(record);
    await clearTokenRecord(file, "work", record);
    expect(readTokenRecord(file.read(), "work")).toBeNull();
    expect(file.read().profiles.get("work")).toEqual({});
  });
});
