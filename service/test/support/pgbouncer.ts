import { spawn } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../test/api/network/peers.js";
import { createFolderForOthers } from "../../../test/support/folder-for-others.js";
import { follow } from "../../../test/support/spawned.js";
import { systemPart } from "../../../test/support/system-parts.js";
import { ownerOf, ROLE } from "./postgres-server.js";

export interface Pgbouncer {
  /** `postgres://…` of the database behind it. */
  readonly url: string;
  /** What it has logged so far. Resolves when the text is in it. */
  logWith(text: string): Promise<string>;
  close(): Promise<void>;
}

interface PgbouncerOptions {
  readonly databases?: readonly string[];
  readonly users?: Readonly<Record<string, string>>;
}

/**
 * Starts pgbouncer in front of a server.
 * @param lines of its configuration, as an example has them: those of the addresses and the log are replaced
 * @param options.databases lines of other databases than ours
 * @param options.users who may sign in, with their passwords; everybody by default
 */
export async function startPgbouncer(
  server: { readonly host: string; readonly port: number },
  lines: readonly string[],
  { databases = [], users }: PgbouncerOptions = {},
): Promise<Pgbouncer> {
  const folder = createFolderForOthers("calctl-pgbouncer-");
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  const settings = lines.filter((line) => !/^(?:listen_|unix_|auth_|logfile|pidfile)/.test(line));
  const userFile = join(folder, "users.txt");
  writeFileSync(
    userFile,
    Object.entries(users ?? {})
      .map(([name, password]) => `"${name}" "${password}"\n`)
      .join(""),
  );
  writeFileSync(
    file,
    [
      "[databases]",
      `calctl = host=${server.host} port=${server.port} dbname=calctl user=${ROLE}`,
      ...databases,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      `auth_type = ${users === undefined ? "any" : "scram-sha-256"}`,
      `auth_file = ${userFile}`,
      ...settings,
    ].join("\n"),
  );
  const owner = ownerOf(folder);
  for (const path of [file, userFile]) chmodSync(path, 0o644);
  const program = follow(spawn(systemPart("pgbouncer") ?? "", [file], { ...owner, stdio: "pipe" }));
  await program.stderrWith("process up");
  return {
    url: `postgres://${ROLE}@127.0.0.1:${port}/calctl`,
    logWith: program.stderrWith,
    async close() {
      program.child.kill("SIGQUIT");
      await program.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
