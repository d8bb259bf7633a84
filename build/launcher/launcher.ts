#!/usr/bin/env node
import { dispatch } from "./dispatch.js";

/** Defined by the build: names of the files that complete, and that open a browser. */
declare const __COMPLETION__: string;
declare const __BROWSER__: string;

/** The launcher is built as CommonJS, whose require() costs nothing; `node:module` takes a millisecond. */
declare const require: NodeJS.Require;

dispatch({
  complete: () => require(`./${__COMPLETION__}`),
  openBrowser: () => require(`./${__BROWSER__}`),
  async run() {
    const { runBundle } = await import("./bundle.js");
    await runBundle(__dirname, require);
  },
});
