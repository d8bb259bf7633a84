import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { listProcesses } from "../../support/processes.js";

/** What others could see of a program: its processes and its files. */

export interface Watch {
  stop(): { readonly commandLines: readonly string[]; readonly helperEnvironments: readonly string[] };
}

/** Collects the command lines of all processes, and the environments of our helpers. */
export function watchProcesses(): Watch {
  const commandLines = new Set<string>();
  const helperEnvironments = new Set<string>();
  const look = () => {
    for (const { commandLine, environment } of listProcesses()) {
      commandLines.add(commandLine);
      if (/--(?:keychain|browser)-helper/.test(commandLine)) helperEnvironments.add(environment);
    }
  };
  const timer = setInterval(look, 20);
  return {
    stop() {
      clearInterval(timer);
      return { commandLines: [...commandLines], helperEnvironments: [...helperEnvironments] };
    },
  };
}

/** Every file in a folder, at any depth. */
export function filesBelow(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}
