import { runBrowserHelper } from "../../src/auth/browser/browser-helper.js";

void runBrowserHelper(process.stdin, process).then((exitCode) => {
  process.exitCode = exitCode;
});
