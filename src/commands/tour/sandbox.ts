import { Readable } from "node:stream";
import { openService } from "../../../service/service.js";
import type { CacheFile } from "../../cache/cache-file.js";
import type { Config } from "../../config/config.js";
import type { Context } from "../../context.js";
import type { HostOverrides, ProcessLike } from "../../machine.js";
import { isColorEnabled, isUnicodeLocale } from "../../output/style.js";
import { systemUserName } from "../../system/user.js";
import { createCapture } from "../../terminal/capture.js";
import type { WritableLike } from "../../terminal/text-sink.js";

/** A temporary embedded service with its own empty configuration. */
export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

export type SandboxContext = Pick<Context, "now" | "machine" | "flags" | "program">;

/**
 * Runs commands against an embedded service in memory with an empty configuration, on a terminal like this one. It is
 * closed at the end of the run.
 */
export async function openSandbox({ now, machine, flags, program }: SandboxContext) {
  const service = await openService({ database: ":memory:", now, rateLimit: null });
  machine.resources.add(() => service.close());
  const { userId } = await service.admin.ensureLocalUser({ name: systemUserName() });
  const screen = screenOf(machine, flags);
  const timezone = flags.timezone ?? machine.systemTimeZone() ?? "UTC";
  // What it writes is in memory, and nothing that could be taken back.
  let config: Config = { profiles: new Map([["local", { journal: "off" }]]) };
  const overrides: HostOverrides = {
    now,
    systemTimeZone: () => timezone,
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
    /** The terminal that its commands see. */
    screen,
    /**
     * Runs one command line, as on a terminal.
     * @returns its exit code, and what a terminal shows: stdout and stderr, in the order of writing
     */
    async run(argv: readonly string[]) {
      const capture = createCapture(screen);
      const exitCode = await program.run(argv, sandboxProcess(capture, screen), overrides);
      return { exitCode, output: capture.text() };
    },
  };
}

function screenOf({ process, env, stdout }: SandboxContext["machine"], { color }: SandboxContext["flags"]) {
  return {
    columns: stdout.columns ?? 100,
    color: isColorEnabled({ choice: color, env, isTerminal: stdout.isTerminal }),
    /** Whether it shows more than ASCII. */
    unicode: isUnicodeLocale(process),
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
function sandboxProcess(screen: WritableLike, { color, unicode }: Sandbox["screen"]): ProcessLike {
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
