/** Runs the command line; every handle is left to drain, so that no output is lost. */
async function main(argv: readonly string[]): Promise<void> {
  if (argv[0] === "--keychain-helper") {
    const { runKeychainHelper } = await import("../src/auth/keychain-helper.js");
    return runKeychainHelper(process);
  }
  const [{ createHost }, { run }] = await Promise.all([import("../src/host.js"), import("../src/run.js")]);
  // Should nothing be left to wait for in the middle of a run, as after Ctrl-D at a question, it was interrupted.
  process.exitCode = 130;
  process.exitCode = await run(argv, createHost(process));
}

void main(process.argv.slice(2));
