import { KEYCHAIN_HELPER_ARGUMENT } from "../src/auth/stores/keychain-helper.js";

/** Runs the command line; every handle is left to drain, so that no output is lost. */
async function main(argv: readonly string[]): Promise<void> {
  if (argv[0] === KEYCHAIN_HELPER_ARGUMENT) {
    const { runKeychainHelper } = await import("../src/auth/stores/keychain-helper.js");
    return runKeychainHelper(process);
  }
  const [{ createHost }, { run }] = await Promise.all([
    import("../src/host/host.js"),
    import("../src/run.js"),
  ]);
  // Should nothing be left to wait for in the middle of a run, as after Ctrl-D at a question, it was interrupted.
  process.exitCode = 130;
  const host = createHost(process);
  process.exitCode = await run(argv, host);
  // Whoever interrupts it does not wait for a reader that reads no more.
  if (host.stdout.isStuck || host.stderr.isStuck) process.exit();
}

void main(process.argv.slice(2));
