import { expect, test } from "vitest";
import { selfCommand } from "../../src/system/child-process.js";

test.each([
  ["Node runs a script", ["/usr/bin/node", "/opt/calctl/dist/calctl.js"]],
  ["it is a single executable, with itself for a script", ["/usr/bin/calctl"]],
])("the program is started again as it was: %s", (_, command) => {
  const [execPath = "", script = execPath] = command;
  expect(selfCommand({ execPath, argv: [execPath, script, "login"] })).toEqual(command);
});
