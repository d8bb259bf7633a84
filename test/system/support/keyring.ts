import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemPart } from "../../support/system-parts.js";

/** A separate desktop session: a message bus and optionally a real keyring. */
export interface Session {
  /** Environment of programs that use the bus. */
  readonly env: Readonly<Record<string, string>>;
  /** Suspends the keyring: it runs but never responds. */
  stop(): void;
}

export interface SessionOptions {
  /** `locked` has a keyring that is never unlocked, `empty` no default collection, `none` no keyring at all. */
  readonly keyring: "unlocked" | "locked" | "empty" | "none";
  /** Whether a prompter shows the keyring's prompt and waits forever. */
  readonly prompter?: boolean;
}

export async function startSession({ keyring, prompter = false }: SessionOptions): Promise<Session> {
  const home = mkdtempSync(join(tmpdir(), "calctl-session-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    XDG_RUNTIME_DIR: home,
    LC_ALL: "C.UTF-8",
  };
  const busProgram = systemPart("dbus");
  if (busProgram === undefined) throw new Error("dbus-run-session is missing");
  const config = writeBusConfig(home);
  if (prompter) installSilentPrompter(join(home, "services"));
  const script = 'echo "bus $DBUS_SESSION_BUS_ADDRESS"; cat';
  const bus = follow(
    spawn(busProgram, [`--config-file=${config}`, "--", "sh", "-c", script], {
      env,
      stdio: ["pipe", "pipe", "ignore"],
    }),
  );
  onTestFinished(async () => {
    bus.child.stdin?.end();
    await bus.ended;
    rmSync(home, { recursive: true, force: true });
  });
  const address = /bus (\S+)/.exec(await bus.line("bus "))?.[1] ?? "";
  const found = { DBUS_SESSION_BUS_ADDRESS: address };
  const sessionEnv = { ...env, ...found };
  if (keyring === "none") return { env: found, stop: () => undefined };
  let daemon = await startDaemon(sessionEnv, ...(keyring === "empty" ? [] : ["--unlock"]));
  onTestFinished(async () => {
    daemon.child.kill("SIGKILL");
    await daemon.ended;
  });
  if (keyring === "locked") {
    daemon.child.kill("SIGTERM");
    await daemon.ended;
    daemon = await startDaemon(sessionEnv);
  }
  return { env: found, stop: () => void daemon.child.kill("SIGSTOP") };
}

/** With `--unlock` it reads the password from stdin and unlocks the keyring `login`, which otherwise stays locked. */
async function startDaemon(
  env: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<Followed> {
  const args = ["--components=secrets", "--foreground", ...flags];
  const daemon = follow(spawn("gnome-keyring-daemon", args, { env, stdio: ["pipe", "ignore", "ignore"] }));
  daemon.child.stdin?.end("password\n");
  const asking =
    "until dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetNameOwner string:org.freedesktop.secrets; do :; done";
  await follow(spawn("sh", ["-c", asking], { env, stdio: "ignore", timeout: 60_000 })).ended;
  return daemon;
}

/** A bus with only our services: those of the machine could start a keyring or a prompter. */
function writeBusConfig(home: string): string {
  const services = join(home, "services");
  mkdirSync(services);
  const path = join(home, "bus.conf");
  writeFileSync(
    path,
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=${home}</listen>
  <servicedir>${services}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`,
  );
  return path;
}

/** The bus starts it when the keyring prompts; it never claims the name that the keyring waits for. */
function installSilentPrompter(services: string): void {
  const service =
    "[D-BUS Service]\nName=org.gnome.keyring.SystemPrompter\nExec=/usr/bin/env dbus-monitor --session\n";
  writeFileSync(join(services, "org.gnome.keyring.SystemPrompter.service"), service);
}

interface Followed {
  readonly child: ChildProcess;
  /** Resolves with all of stdout when it contains the text and a complete line. */
  line(text: string): Promise<string>;
  readonly ended: Promise<void>;
}

function follow(child: ChildProcess): Followed {
  let stdout = "";
  const watchers = new Set<() => void>();
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
    for (const watcher of watchers) watcher();
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    child,
    ended,
    line: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const at = stdout.indexOf(text);
          if (at !== -1 && stdout.indexOf("\n", at) !== -1) resolve(stdout);
        };
        watchers.add(check);
        void ended.then(() => reject(new Error(`it ended before it said ${text}: ${stdout}`)));
        check();
      }),
  };
}
