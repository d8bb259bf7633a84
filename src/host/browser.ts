import { childEnvironment } from "../auth/child-environment.js";
import { runHelperProcess } from "../auth/helper-process.js";
import type { Environment } from "../config/environment.js";
import { BROWSER_HELPER_ARGUMENT } from "./browser-helper.js";
import type { SelfCommand } from "./self-command.js";

/** Some launchers end only with the browser. */
const LIMIT = 30_000;

/** Opens an address in the user's browser. @throws Error when the launcher says that it could not */
export async function openBrowser(
  url: string,
  { self: [program, ...args], env }: { readonly self: SelfCommand; readonly env: Environment },
  signal: AbortSignal,
): Promise<void> {
  const result = await runHelperProcess({
    program,
    args: [...args, BROWSER_HELPER_ARGUMENT],
    env: childEnvironment(env),
    input: url,
    stderr: "ignore",
    limit: LIMIT,
    outputMax: 1024 * 1024,
    signal,
  });
  if (result.kind === "not_started" || (result.kind === "ended" && result.exitCode !== 0)) {
    throw new Error("the browser could not be opened");
  }
}
