import { Readable } from "node:stream";
import { openService } from "../../service/service.js";
import type { CacheFile } from "../cache/cache-file.js";
import type { Config } from "../config/config.js";
import type { Sandbox, SandboxScreen } from "../context.js";
import type { HostOverrides, ProcessLike } from "../machine.js";
import type { WritableLike } from "../terminal/text-sink.js";
import type { CreateHost, Run } from "./parts.js";

export interface SandboxOptions {
  readonly createHost: CreateHost;
  readonly run: Run;
  readonly now: () => number;
  /** Name of the temporary user. */
  readonly userName: string;
  readonly timezone: string;
  /** The terminal that the runs see. */
  readonly screen: SandboxScreen;
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
    cacheFile: createMemoryCache(),
    configFile: {
      path: "(in memory)",
      read: () => config,
      update: async (edit) => {
        config = edit(config);
      },
      lockSecrets: (work) => work(),
    },
  };
  return {
    screen: options.screen,
    async run(argv) {
      const screen = createCapture(options.screen.columns);
      const host = options.createHost(sandboxProcess(screen, options.screen), overrides);
      const exitCode = await options.run(argv, host);
      return { exitCode, output: screen.text() };
    },
    close: () => service.close(),
  };
}

/** What would be cached in files, until the sandbox is closed. */
function createMemoryCache(): NonNullable<HostOverrides["cacheFile"]> {
  const contents = new Map<string, ReturnType<CacheFile["read"]>>();
  return (kind) => ({
    read: () => contents.get(kind) ?? {},
    async write(members) {
      contents.set(kind, members);
    },
  });
}

/** A terminal at which somebody sits, who is not asked. */
function sandboxProcess(screen: WritableLike, { color, unicode }: SandboxScreen): ProcessLike {
  return {
    env: {
      CALCTL_NO_INPUT: "1",
      ...(color ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }),
      ...(unicode ? { LC_ALL: "C.UTF-8" } : {}),
    },
    platform: "linux",
    execPath: "",
    argv: [],
    pid: 0,
    kill: () => true,
    stdin: Object.assign(Readable.from([]), { isTTY: true }),
    stdout: screen,
    stderr: screen,
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
