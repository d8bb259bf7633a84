import { describe, expect, test } from "vitest";
import { createHarness } from "../support/harness.js";

describe("a command that does not exist names the one that was meant:", () => {
  test.each([
    ["ls", "calctl events list"],
    ["rm", "calctl events delete"],
    ["show", "calctl events get"],
    ["add", "calctl events create"],
    ["edit", "calctl events update"],
    ["event", "calctl events"],
    ["evnts", "calctl events"],
    ["evenst", "calctl events"],
    ["calendar", "calctl calendars"],
    ["logn", "calctl login"],
    ["me", "calctl whoami"],
    ["week", "calctl agenda"],
    ["events ls", "calctl events list"],
    ["events rm", "calctl events delete"],
    ["events crate", "calctl events create"],
    ["service start-server", undefined],
    ["service user", "calctl service users"],
    ["service users ls", "calctl service users list"],
    ["service calendars delete", "calctl service calendars remove"],
    ["config show", "calctl config get"],
    ["profiles switch", undefined],
    ["constructor", undefined],
    ["nonsense", undefined],
  ])("%s", async (line, meant) => {
    const harness = await createHarness();
    const { exitCode, stdout, stderr } = await harness.run(...line.split(" "));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    const hint =
      meant === undefined ? /\nhint: commands: / : new RegExp(`\nhint: did you mean ${meant}\\?\n$`);
    expect(stderr).toMatch(hint);
  });
});
