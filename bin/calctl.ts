import { FILE_CHECK_ARGUMENT, KEYCHAIN_HELPER_ARGUMENT } from "../src/system/helper-arguments.js";

/** Runs the command line. Does not call `process.exit` on success, so that no output is lost. */
async function main(argv: readonly string[]): Promise<void> {
  if (argv[0] === KEYCHAIN_HELPER_ARGUMENT) {
    const { runKeychainHelper } = await import("../src/secrets/keychain-helper.js");
    return runKeychainHelper(process);
  }
  if (argv[0] === FILE_CHECK_ARGUMENT) {
    const { runFileCheck } = await import("../src/system/sqlite/file-check.js");
    return runFileCheck(argv[1] ?? "", process.stdout);
  }
  const [{ createHost }, { run }] = await Promise.all([
    import("../src/run/host.js"),
    import("../src/cli/run.js"),
  ]);
  // An empty variable counts as unset; Node would take this one for UTC.
  if (process.env["TZ"] === "") delete process.env["TZ"];
  // The exit code if the event loop becomes empty during the run, as after Ctrl-D at a prompt.
  process.exitCode = 130;
  const host = createHost(process, {
    // FORCE_HYPERLINK decides for a terminal that is not known.
    supportsHyperlinks: async () =>
      (await import("supports-hyperlinks")).createSupportsHyperlinks({ isTTY: true }),
  });
  process.exitCode = await run(argv, host);
  // After an interruption, do not wait for a reader that no longer reads.
  if (host.isStuck()) process.exit();
}

void main(process.argv.slice(2));
