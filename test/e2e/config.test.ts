import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createInstallation } from "../support/spawned.js";

test("processes that change the configuration at once lose nothing", async () => {
  const { home, run } = createInstallation();
  await run("config", "set", "base_url", "https://work.example", "-p", "work");
  const names = ["one", "two", "three", "four", "five"];
  const lines = [
    ...names.map((name) => ["config", "set", "base_url", `https://${name}.example`, "-p", name]),
    ...["calendar", "label", "client_id"].map((key) => ["config", "set", key, key, "-p", "work"]),
    ["config", "set", "timezone", "Asia/Tokyo", "-p", "local"],
    ["profiles", "use", "work"],
  ];
  const ends = await Promise.all(lines.map((line) => run(...line)));
  expect(ends.map(({ exitCode }) => exitCode)).toEqual(lines.map(() => 0));
  const directory = join(home, ".config", "calctl");
  expect(JSON.parse(readFileSync(join(directory, "config.json"), "utf8"))).toEqual({
    profile: "work",
    profiles: {
      work: {
        base_url: "https://work.example",
        calendar: "calendar",
        label: "label",
        client_id: "client_id",
      },
      local: { timezone: "Asia/Tokyo" },
      ...Object.fromEntries(names.map((name) => [name, { base_url: `https://${name}.example` }])),
    },
  });
  expect(readdirSync(directory)).toEqual(["config.json"]);
});
