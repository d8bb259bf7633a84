import { expect, test } from "vitest";
import { resolveDirectories } from "../../src/config/directories.js";

type Variables = Readonly<Record<string, string>>;

function foldersOf(env: Variables, platform: string): readonly string[] {
  const directories = resolveDirectories({ env, platform, home: () => "/home/u" });
  return [directories.config(), directories.data(), directories.state()];
}

const UNIX = ["/home/u/.config/calctl", "/home/u/.local/share/calctl", "/home/u/.local/state/calctl"];

test.each<[Variables, readonly string[]]>([
  [{}, UNIX],
  [
    { XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d", XDG_STATE_HOME: "/s" },
    ["/c/calctl", "/d/calctl", "/s/calctl"],
  ],
  [{ XDG_CONFIG_HOME: "relative", XDG_DATA_HOME: "", XDG_STATE_HOME: "./state" }, UNIX],
  [
    {
      CALCTL_CONFIG_DIR: "/mine",
      CALCTL_DATA_DIR: "/too",
      CALCTL_STATE_DIR: "/also",
      XDG_CONFIG_HOME: "/c",
      XDG_STATE_HOME: "/s",
    },
    ["/mine", "/too", "/also"],
  ],
  [{ CALCTL_CONFIG_DIR: "", CALCTL_STATE_DIR: "" }, UNIX],
])("folders with %j", (env, expected) => {
  expect(foldersOf(env, "linux")).toEqual(expected);
});

const MAC = "/home/u/Library/Application Support/calctl";

test.each<[string, Variables, readonly string[]]>([
  ["darwin", {}, [MAC, MAC, MAC]],
  ["darwin", { XDG_STATE_HOME: "/s" }, [MAC, MAC, "/s/calctl"]],
  [
    "win32",
    { APPDATA: "/r", LOCALAPPDATA: "/l", XDG_STATE_HOME: "/s" },
    ["/r/calctl", "/l/calctl", "/l/calctl"],
  ],
  [
    "win32",
    { APPDATA: "", LOCALAPPDATA: "" },
    ["/home/u/AppData/Roaming/calctl", "/home/u/AppData/Local/calctl", "/home/u/AppData/Local/calctl"],
  ],
  [
    "win32",
    {},
    ["/home/u/AppData/Roaming/calctl", "/home/u/AppData/Local/calctl", "/home/u/AppData/Local/calctl"],
  ],
])("folders on %s with %j", (platform, env, expected) => {
  expect(foldersOf(env, platform)).toEqual(expected);
});

test.each<[string, Variables, string]>([
  ["linux", {}, "/home/u/.cache/calctl"],
  ["linux", { XDG_CACHE_HOME: "/x" }, "/x/calctl"],
  ["linux", { XDG_CACHE_HOME: "/x", CALCTL_CACHE_DIR: "/mine" }, "/mine"],
  ["darwin", {}, "/home/u/Library/Caches/calctl"],
  ["win32", { LOCALAPPDATA: "/l" }, "/l/calctl/cache"],
  ["win32", {}, "/home/u/AppData/Local/calctl/cache"],
])("cache on %s with %j", (platform, env, expected) => {
  expect(resolveDirectories({ env, platform, home: () => "/home/u" }).cache()).toBe(expected);
});

test("no home folder is needed when variables are set", () => {
  const home = () => {
    throw new Error("asked for the home folder");
  };
  const env = { CALCTL_CONFIG_DIR: "/c", XDG_DATA_HOME: "/d", XDG_STATE_HOME: "/s" };
  const directories = resolveDirectories({ env, platform: "linux", home });
  expect([directories.config(), directories.data(), directories.state()]).toEqual([
    "/c",
    "/d/calctl",
    "/s/calctl",
  ]);
});
