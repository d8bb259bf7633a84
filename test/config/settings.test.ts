import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.js";
import type { Environment } from "../../src/config/environment.js";
import { parseServiceUrl } from "../../src/config/profile-values.js";
import { readRunSettings } from "../../src/config/run-settings.js";
import { selectService } from "../../src/config/settings.js";
import { words } from "../support/words.js";

const WORK = "https://work.example/api";
const HOME = "https://home.example/api";

const CONFIG: Config = {
  profile: "work",
  profiles: new Map([
    ["work", { base_url: WORK, calendar: "Team" }],
    ["home", { base_url: HOME }],
    ["bare", {}],
  ]),
};
const EMPTY: Config = { profiles: new Map() };

function select(env: Environment, profileFlag?: string, config = CONFIG) {
  return selectService({ profileFlag, env, config });
}

function baseUrlOf(env: Environment, profileFlag?: string, config = CONFIG) {
  const { service } = select(env, profileFlag, config);
  return service.kind === "local" ? "local" : service.baseUrl.value;
}

describe("the selected service", () => {
  test.each([
    [{}, undefined, EMPTY, "local"],
    [{}, undefined, CONFIG, WORK],
    [{ CALCTL_PROFILE: "home" }, undefined, CONFIG, HOME],
    [{ CALCTL_PROFILE: "home" }, "work", CONFIG, WORK],
    [{ CALCTL_BASE_URL: "https://x.example" }, undefined, CONFIG, "https://x.example"],
    [
      { CALCTL_BASE_URL: "https://x.example", CALCTL_PROFILE: "home" },
      undefined,
      CONFIG,
      "https://x.example",
    ],
    [{ CALCTL_BASE_URL: "https://x.example" }, "home", CONFIG, HOME],
    [{ CALCTL_BASE_URL: "https://x.example" }, "local", CONFIG, "local"],
  ])("%j with --profile %j", (env, flag, config, expected) => {
    expect(baseUrlOf(env, flag, config)).toBe(expected);
  });

  test("only CALCTL_BASE_URL selects a service without a profile or its settings", () => {
    const selection = select({ CALCTL_BASE_URL: "https://x.example" });
    expect(selection.profile).toBeNull();
    expect(selection.setting("calendar")).toBeUndefined();
  });

  test.each(["CALCTL_BASE_URL", "CALCTL_PROFILE"])(
    "an empty %s is a broken configuration, not an unset one",
    (name) => {
      expect(() => select({ [name]: "" })).toThrow(expect.objectContaining({ exitCode: 10 }));
    },
  );

  test.each(["nowhere", "constructor", "__proto__"])(
    "an unknown profile %j is exit 10 with the names",
    (name) => {
      expect(() => select({}, name)).toThrow(
        expect.objectContaining({ exitCode: 10, hint: "profiles: local, work, home, bare" }),
      );
    },
  );

  test("a profile without an address says how to set it", () => {
    expect(() => select({}, "bare")).toThrow(
      expect.objectContaining({ exitCode: 10, hint: expect.stringContaining("config set base_url") }),
    );
  });

  test("an empty --profile is a usage error", () => {
    expect(() => readRunSettings({ profile: "" }, {})).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});

describe("the services that a token of the environment is sent to", () => {
  test.each([
    ["to CALCTL_BASE_URL", { CALCTL_BASE_URL: "https://x.example" }, undefined, true],
    ["to the profile in use", {}, undefined, true],
    ["to the profile of CALCTL_PROFILE", { CALCTL_PROFILE: "home" }, undefined, true],
    ["to the profile in use, named once more", {}, "work", true],
    ["not to another profile that --profile names", {}, "home", false],
    [
      "not to a profile whose service is not CALCTL_BASE_URL",
      { CALCTL_BASE_URL: "https://x.example" },
      "home",
      false,
    ],
    ["to a profile that is the service of CALCTL_BASE_URL", { CALCTL_BASE_URL: `${HOME}/` }, "home", true],
    ["not to local", { CALCTL_PROFILE: "local" }, undefined, false],
    ["not to local by flag", {}, "local", false],
  ])("%s", (_, env, flag, allowed) => {
    expect(select(env, flag).environmentTokenConflict() === null).toBe(allowed);
  });
});

describe("addresses of services", () => {
  test.each(words`https://calendar.example/api http://127.0.0.1:8787 http://127.9.9.9
    http://localhost:1 http://[::1]:8787/x/`)("%s is accepted", (text) => {
    expect(parseServiceUrl(text, "base_url").href).not.toMatch(/x\/$/);
  });

  test.each([
    "http://calendar.example",
    "http://127.0.0.1.example",
    "http://localhost.example",
    "ftp://calendar.example",
    "https://user:secret@calendar.example",
    "https://calendar.example/?x=1",
    "calendar.example",
    "",
  ])("%j is refused", (text) => {
    expect(() => parseServiceUrl(text, "base_url")).toThrow(expect.objectContaining({ exitCode: 10 }));
  });

  test("a password in an address is not repeated", () => {
    expect(() => parseServiceUrl("https://calendar.example:99999/api", "base_url")).toThrow(
      expect.objectContaining({ hint: "its port is not a number from 1 to 65535" }),
    );
    expect(() => parseServiceUrl("https://user:secret@calendar.example", "base_url")).not.toThrow(/secret/);
    expect(() => parseServiceUrl("https://user:sec/ret@calendar.example:port", "base_url")).toThrow(
      'base_url: "…@calendar.example:port" is not a URL',
    );
  });
});

test.each([
  [{}, undefined, EMPTY, false],
  [{}, undefined, CONFIG, true],
  [{}, undefined, { ...EMPTY, profile: "local" }, true],
  [{}, "local", EMPTY, true],
  [{ CALCTL_PROFILE: "local" }, undefined, EMPTY, true],
  [{ CALCTL_BASE_URL: WORK }, undefined, EMPTY, true],
] as const)("with %j, --profile %s and %j, a service was chosen: %s", (env, flag, config, isChosen) => {
  expect(select(env, flag, config).isChosen).toBe(isChosen);
});
