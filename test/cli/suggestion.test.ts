import { describe, expect, test } from "vitest";
import { createHarness } from "../support/harness.js";
import { share } from "../support/shared.js";

const harness = share(() => createHarness());

describe("what the command line does not take is said with a next step:", () => {
  test.each([
    [
      "calendars add",
      'calctl calendars does not take the argument "add"',
      "did you mean calctl service calendars add?",
    ],
    [
      "calendars create Work",
      'calctl calendars does not take the argument "create"',
      "did you mean calctl service calendars add?",
    ],
    ["members remove Ben", /"remove"/, "did you mean calctl service members remove?"],
    ["calendars list", /"list"/, "did you mean calctl calendars?"],
    ["labels ls -c Personal", /"ls"/, "did you mean calctl labels?"],
    ["whoami add", /"add"/, "calctl whoami -h shows what it takes"],
    ["events create Lunch", /"Lunch"/, "calctl events create -h shows what it takes"],
    ["events list --mine today", /"today"/, "calctl events list -h shows what it takes"],
    [
      "events create --title Team lunch",
      /"lunch"/,
      "put text with spaces in quotes; calctl events create -h shows what it takes",
    ],
    [
      "events create --title=Team lunch",
      /"lunch"/,
      "put text with spaces in quotes; calctl events create -h shows what it takes",
    ],
    [
      "comment ID my words",
      /"words"/,
      "put text with spaces in quotes; calctl comment -h shows what it takes",
    ],
    ["api GET /calendars", /"\/calendars"/, "did you mean calctl api /calendars -X GET?"],
    [
      "import a.ics b.ics c.ics",
      'calctl import takes one file, not also "b.ics"',
      "import them one after the other",
    ],
    ["events list --json", "calctl events list has no flag --json", "did you mean -o json?"],
    ["events list --json id,title", "calctl events list has no flag --json", "did you mean -o json?"],
    ["events list --csv", "calctl events list has no flag --csv", "did you mean -o csv?"],
    ["events list --format json", "calctl events list has no flag --format", "did you mean -o json?"],
    ["events list --format=csv", "calctl events list has no flag --format", "did you mean -o csv?"],
    ["events list --format xml", "calctl events list has no flag --format", "did you mean --output?"],
    ["events list --lable 2", "calctl events list has no flag --lable", "did you mean --label?"],
    [
      "events list --nonsense",
      "calctl events list has no flag --nonsense",
      "calctl events list -h lists its flags",
    ],
    [
      "events list --foo\nbar",
      "calctl events list has no flag --foo\nbar",
      "calctl events list -h lists its flags",
    ],
    ["events get -x", "calctl events get has no flag -x", "write -- before an argument that begins with -"],
    ["events list --label", "--label needs a value", "write --label <number|id|name>"],
    ["events list -c", "--calendar needs a value", "write --calendar <id|name>"],
    ["events list --category x", '--category: "x" is not one of its values', "choose from schedule, keep"],
    [
      "events list --category x\ny",
      '--category: "x\ny" is not one of its values',
      "choose from schedule, keep",
    ],
    ["completion x", 'SHELL: "x" is not one of its values', "choose from bash, zsh, fish, powershell"],
    ["config get", "calctl config get needs KEY", "calctl config get -h shows what it takes"],
    ["config set timezone", "calctl config set needs VALUE", "calctl config set -h shows what it takes"],
  ])("%s", async (line, message, hint) => {
    const { exitCode, stdout, stderr } = await harness().run("-o", "json", ...line.split(" "));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    const { error } = JSON.parse(stderr);
    expect(error.hint).toBe(hint);
    expect(error.message).toMatch(message);
  });
});

describe("a command that does not exist names the one that was meant:", () => {
  test.each([
    ["ls", "calctl events list"],
    ["delete", "calctl events delete"],
    ["show", "calctl events get"],
    ["edit", "calctl events update"],
    ["event", "calctl events"],
    ["evnts", "calctl events"],
    ["evenst", "calctl events"],
    ["calendar", "calctl calendars"],
    ["logn", "calctl login"],
    ["me", "calctl whoami"],
    ["today", "calctl agenda"],
    ["version", "calctl --version"],
    ["export", "calctl events list -o ics"],
    ["search dentist", "calctl events list --search"],
    ["find", "calctl events list --search"],
    ["mv", "calctl events move"],
    ["move", "calctl events move"],
    ["copy", "calctl events copy"],
    ["cp", "calctl events copy"],
    ["watch", "calctl events watch"],
    ["changes", "calctl events changes"],
    ["tomorrow", "calctl agenda tomorrow"],
    ["share", "calctl feeds add, or calctl service members add"],
    ["users", "calctl members, or calctl service users"],
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
    ["open", undefined],
  ])("%s", async (line, meant) => {
    const { exitCode, stdout, stderr } = await harness().run(...line.split(" "));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    const hint =
      meant === undefined ? /\nhint: commands: / : new RegExp(`\nhint: did you mean ${meant}\\?\n$`);
    expect(stderr).toMatch(hint);
  });
});

test("a hint is not broken inside a command, so that no half of it is run", async () => {
  const argv = ["service", "calendars", "delete"];
  const { stderr } = await harness().runWith({ columns: 40, env: { NO_COLOR: "1" } }, ...argv);
  expect(stderr).toMatch(/\nhint: did you mean\ncalctl service calendars remove\?\n$/);
});
