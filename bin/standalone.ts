import { dispatch } from "../build/launcher/dispatch.js";

// The main script of the single executable.

// Node has what was typed here, which is no path that starts the program again.
process.argv[1] = process.execPath;

dispatch({
  complete: () => import("../build/launcher/completion.js"),
  openBrowser: () => import("../build/launcher/browser.js"),
  async run() {
    const { runEmbedded } = await import("../build/launcher/embedded-program.js");
    runEmbedded();
  },
});
