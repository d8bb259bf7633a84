#!/usr/bin/env node
import { dispatch } from "./dispatch.js";

/** Defined by the build: file name of the part that completes. */
declare const __COMPLETION__: string;

/** The launcher is built as CommonJS, whose require() costs nothing; `node:module` takes a millisecond. */
declare const require: NodeJS.Require;

dispatch({
  complete: () => require(`./${__COMPLETION__}`),
  async run() {
    const { runBundle } = await import("./bundle.js");
    await runBundle(__dirname, require);
  },
});
