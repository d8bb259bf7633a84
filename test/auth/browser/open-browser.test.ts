import { describe, expect, test } from "vitest";
import { canShowBrowser, remoteHint } from "../../../src/auth/browser/open-browser.js";

describe("whether a browser opens", () => {
  test.each([
    ["on a Linux desktop", "linux", { DISPLAY: ":0" }, true],
    ["on Wayland", "linux", { WAYLAND_DISPLAY: "wayland-0" }, true],
    ["with $BROWSER", "linux", { BROWSER: "firefox" }, true],
    ["in WSL, where Windows has one", "linux", { WSL_DISTRO_NAME: "Debian" }, true],
    ["on macOS", "darwin", {}, true],
    ["on Windows", "win32", {}, true],
    ["not on a Linux without a display", "linux", {}, false],
    ["not with an empty display", "linux", { DISPLAY: "" }, false],
    ["not over ssh", "linux", { DISPLAY: ":0", SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }, false],
    ["not over ssh to a Mac", "darwin", { SSH_TTY: "/dev/ttys001" }, false],
  ])("%s", (_, platform, env, expected) => {
    expect(canShowBrowser({ platform, env })).toBe(expected);
  });

  test("over ssh the hint is to forward the port, in WSL to paste the address", () => {
    expect(remoteHint({ platform: "linux", env: { SSH_TTY: "/dev/pts/1" } }, 5000)).toContain(
      "ssh -L 5000:127.0.0.1:5000",
    );
    expect(remoteHint({ platform: "linux", env: { WSL_DISTRO_NAME: "Debian" } }, 5000)).toContain("mirrored");
    expect(remoteHint({ platform: "linux", env: {} }, 5000)).toBeNull();
  });
});
