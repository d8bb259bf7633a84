import { expect, test } from "vitest";
import { batchFileHint, selfCommand } from "../../src/system/child-process.js";

test.each([
  ["Node runs a script", ["/usr/bin/node", "/opt/calctl/dist/calctl.js"]],
  ["it is a single executable, with itself for a script", ["/usr/bin/calctl"]],
])("the program is started again as it was: %s", (_, command) => {
  const [execPath = "", script = execPath] = command;
  expect(selfCommand({ execPath, argv: [execPath, script, "login"] })).toEqual(command);
});

test.each([
  ["C:\\bin\\token.cmd", "EINVAL", "cmd runs batch files: cmd /c C:\\bin\\token.cmd"],
  ["token.BAT", "EINVAL", "cmd runs batch files: cmd /c token.BAT"],
  ["token.cmd", "EACCES", undefined],
  ["token.exe", "EINVAL", undefined],
])("what to do about %s, not started with %s: %j", (program, code, hint) => {
  expect(batchFileHint(program, code)).toBe(hint);
});
