import { Readable } from "node:stream";
import type { Config } from "../config/config-file.js";
import type { Sandbox } from "../context.js";
import { openService } from "../service/service.js";
import type { WritableLike } from "../terminal/text-sink.js";
import type { Host, HostOverrides, ProcessLike, Run } from "./parts.js";

export interface SandboxOptions {
  readonly createHost: (process: ProcessLike, overrides: HostOverrides) => Host;
  readonly run: Run;
  readonly now: () => number;
  /** Name of the temporary user. */
  readonly userName: string;
  readonly timezone: string;
  /** Width of the terminal that the runs see. */
  readonly columns: number;
  readonly color: boolean;
}

/** Runs commands against an embedded service in memory with an empty configuration. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const service = await openService({ database: ":memory:", now: options.now, rateLimit: null });
  const { userId } = await service.admin.ensureLocalUser({ name: options.userName });
  let config: Config = { profiles: new Map() };
  const overrides: HostOverrides = {
    now: options.now,
    systemTimeZone: () => options.timezone,
    localService: async () => ({ service, userId }),
    cacheDirectory: () => {
      throw new Error("a sandbox leaves nothing behind");
    },
    configFile: {
      path: "(in memory)",
      read: () => config,
      update: async (edit) => {
        config = edit(config);
      },
    },
  };
  return {
    timezone: options.timezone,
    async run(argv) {
      const stdout = createCapture(options.columns);
      const stderr = createCapture(options.columns);
      const host = options.createHost(sandboxProcess(stdout, stderr, options.color), overrides);
      const exitCode = await options.run(argv, host);
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
    },
    close: () => service.close(),
  };
}

function sandboxProcess(stdout: WritableLike, stderr: WritableLike, color: boolean): ProcessLike {
  return {
    env: color ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" },
    platform: "linux",
    execPath: "",
    argv: [],
    pid: 0,
    kill: () => true,
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    stdout,
    stderr,
    once: () => undefined,
    removeAllListeners: () => undefined,
    rawListeners: () => [],
    on: () => undefined,
    off: () => undefined,
  };
}

interface Capture extends WritableLike {
  text(): string;
}

function createCapture(columns: number): Capture {
  let captured = "";
  return {
    isTTY: true,
    columns,
    write(text, done) {
      captured += text;
      done();
      return true;
    },
    on: () => undefined,
    text: () => captured,
  };
}
