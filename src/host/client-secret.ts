import { type Environment, readVariable } from "../config/environment.js";
import type { LoginRequest } from "../context.js";

/** The client secret as far as it is known without asking: of a file, else of the environment; never of a flag. */
export function knownClientSecret({ clientSecret }: LoginRequest, env: Environment): string | undefined {
  return clientSecret ?? readVariable(env, "CALCTL_CLIENT_SECRET");
}
