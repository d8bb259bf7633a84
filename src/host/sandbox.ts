import { Readable } from "node:stream";
import type { Config } from "../config/config-file.js";
import type { CapturedRun, Sandbox } from "../context.js";
import { openService } from "../service/service.js";
import type { WritableLike } from "../terminal/text-sink.js";
import type { Host, HostOverrides, ProcessLike } from "./parts.js";

export interface SandboxOptions {
  readonly createHost: (process: ProcessLike, overrides: HostOverrides) => Host;
  readonly run: (argv: readonly string[], host: Host) => Promise<number>;
  readonly now: () => number;
  /** Name of the temporary user. */
  readonly userName: string;
  readonly systemTimeZone: () => string | undefined;
  /** Width of the terminal. */
  readonly columns: number;
  readonly color: boolean;
}

/** An embedded service and a configuration in memory. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const service = await openService({ database: ":memory:", now: options.now, rateLimit: null });
  const { userId } = await service.admin.ensureLocalUser({ name: options.userName });
  let config: Config = { profiles: new Map() };
  const overrides: HostOverrides = {
    now: options.now,
    systemTimeZone: options.systemTimeZone,
    localService: async () => ({ service, userId }),
    configFile: {
      path: "(in memory)",
      read: () => config,
      update: async (edit) => {
        config = edit(config);
      },
    },
  };
  return {
    async run(argv) {
      const stdout = createCapture(options.columns);
      const stderr = createCapture(options.columns);
      const host = options.createHost(sandboxProcess(stdout, stderr, options.color), overrides);
      const exitCode = await options.run(argv, host);
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() } satisfies CapturedRun;
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
