import { join } from "node:path";
import type { LoginRequest, LoginResult } from "../auth/login.js";
import { createSession } from "../auth/session.js";
import { createTokenProvider } from "../auth/sources/token-provider.js";
import type { OpenStore, StoreOptions } from "../auth/stores/store.js";
import { createRecentEvents, type RecentEvents } from "../cache/recent-events.js";
import { readVariable } from "../config/environment.js";
import { createProfileStore } from "../config/profile-store.js";
import {
  type GlobalFlags,
  type ProgramChoice,
  type RunSettings,
  readRunSettings,
} from "../config/run-settings.js";
import { createSettings, profileName, type Settings } from "../config/settings.js";
import type { Context } from "../context.js";
import { stackTrace } from "../output/error-report.js";
import {
  checkFormat,
  checkFormatName,
  createOutput,
  effectiveFormat,
  type OutputTarget,
} from "../output/output.js";
import { sanitizeLine } from "../output/sanitize.js";
import { isColorEnabled, isUnicodeLocale } from "../output/style.js";
import type { OutputProgram } from "../output/view.js";
import { selfCommand } from "../system/child-process.js";
import { createInput, readLines } from "../terminal/input.js";
import { createPrompt } from "../terminal/prompt.js";
import { withDefaultSignals } from "../terminal/signals.js";
import type { TextSink } from "../terminal/text-sink.js";
import { type ClientParts, createFetchUser, createServiceClient, openTransport } from "./client.js";
import { withPermissionsNote, withPrivateDatabase } from "./database-permissions.js";
import type { createHost } from "./host.js";
import { createServiceOpener, openLocalService, systemUserName } from "./local-service.js";
import type { HostContext, HostParts, Run } from "./parts.js";
import { createServiceAccess } from "./service-access.js";

export interface CompositionOptions {
  readonly flags: GlobalFlags;
  readonly run: Run;
  readonly createHost: typeof createHost;
}

/**
 * Composes what one command may use. Expensive parts are created when they are first used.
 * @throws CliError usage, configuration for a wrong global flag or variable
 */
export function composeContext(parts: HostParts, options: CompositionOptions): HostContext {
  const { process, stderr, configFile, systemTimeZone } = parts;
  const { env } = process;
  const run = readRunSettings(options.flags, env);
  if (run.format !== null) checkFormatName(run.format);
  const warn = (text: string): void => writeNote(stderr, sanitizeLine(text));
  const trace = (lines: readonly string[]): void => writeNote(stderr, lines.map(sanitizeLine).join("\n"));
  const note = (text: string): void => {
    if (!run.quiet) warn(text);
  };
  const settings = createSettings({ run, env, configFile, systemTimeZone, note });
  const permissions = { userId: process.getuid?.() ?? null, note };
  const openService = createServiceOpener(parts);
  const open = withPermissionsNote(openService, permissions);
  const input = createInput(process, parts.signal);
  const prompt = createPrompt(process, run.prompts, parts);
  const client: ClientParts = { parts, run, trace };
  const auth = composeAuth(client, { settings, interactive: () => prompt.available, warn });
  return {
    calendarFlags: run.calendars,
    now: parts.clock.now,
    note,
    warn,
    prompt,
    input,
    settings,
    profiles: () => createProfileStore(configFile, env["PATH"]),
    profileName: () => profileName(run.profile, configFile.read(), () => env["CALCTL_PROFILE"] || undefined),
    api: once(() =>
      createServiceClient(
        {
          settings: settings(),
          token: auth.token,
          localService:
            parts.overrides.localService ??
            (() => openLocalService(open, { database: parts.database() }, note)),
        },
        client,
      ),
    ),
    session: auth.session,
    recentEvents: createRecentEventsOf(parts, settings),
    ...createOutputMembers(run, parts, { settings, note, input }),
    service: createServiceAccess({
      defaultDatabase: parts.database,
      open,
      signal: parts.signal,
      openPrivate: withPrivateDatabase(openService, permissions),
      note,
      log: (line, failure) => {
        writeNote(stderr, line);
        if (run.debug && failure !== undefined) writeNote(stderr, stackTrace(failure));
      },
    }),
    sandbox: () => openSandbox(parts, options, run),
  };
}

/** What file systems take, with the ending. */
const MAX_FILE_NAME = 200;

/** Only where a person types: scripts must not depend on what was shown before. */
function createRecentEventsOf(
  { process: { stdin }, stderr, cacheDirectory }: HostParts,
  settings: () => Settings,
): Context["recentEvents"] {
  let recent: RecentEvents | undefined;
  return () => {
    if (stdin.isTTY !== true || !stderr.isTerminal) return null;
    recent ??= createRecentEvents(() => {
      const { profile, service } = settings();
      const address = service.kind === "remote" ? service.baseUrl.value : "";
      const name = encodeURIComponent(`${profile ?? ""} ${address}`).slice(0, MAX_FILE_NAME);
      return join(cacheDirectory(), "events", `${name}.json`);
    });
    return recent;
  };
}

interface AuthOptions {
  readonly settings: () => Settings;
  readonly interactive: () => boolean;
  readonly warn: (text: string) => void;
}

/** The token of this run, and signing in and out. */
function composeAuth(client: ClientParts, { settings, interactive, warn }: AuthOptions) {
  const { parts, run } = client;
  const { configFile, signal, redactor } = parts;
  const { env } = parts.process;
  const openStore = createStoreOpener(parts, { interactive, warn, signal });
  const config = () => configFile.read();
  const tokenProvider = createTokenProvider({ settings, env, config, openStore, signal, redactor });
  const session = createSession({
    configFile,
    env,
    settings,
    profileName: () => profileName(run.profile, config(), () => readVariable(env, "CALCTL_PROFILE")),
    openStore,
    tokenProvider,
    login: (request) => runLogin(request, { client, openStore, interactive, warn }),
    warn,
  });
  return { session, token: tokenProvider.token };
}

/** Loads a store only when it is opened. */
function createStoreOpener(
  { process, overrides, dataDirectory }: HostParts,
  defaults: StoreOptions,
): OpenStore {
  return async (name, changes) => {
    if (name === "file") {
      const { createSecretFiles } = await import("../auth/stores/secret-file.js");
      const directory = join(dataDirectory(), "tokens");
      return createSecretFiles({ directory, userId: process.getuid?.() ?? null });
    }
    if (overrides.keychain !== undefined) return overrides.keychain;
    const { createKeychain } = await import("../auth/stores/keychain.js");
    return createKeychain({ ...defaults, ...changes, self: selfCommand(process), env: process.env });
  };
}

/** Larger than any token or user (bytes). */
const MAX_LOGIN_RESPONSE = 1024 * 1024;

interface LoginOptions extends Omit<AuthOptions, "settings"> {
  readonly client: ClientParts;
  readonly openStore: OpenStore;
}

/** Loads the login code only when it is needed. */
async function runLogin(
  request: LoginRequest,
  { client, openStore, interactive, warn }: LoginOptions,
): Promise<LoginResult> {
  const { parts, run } = client;
  const { process } = parts;
  const { login } = await import("../auth/login.js");
  const transport = once(() => openTransport(client, MAX_LOGIN_RESPONSE));
  return login(request, {
    profileFlag: run.profile,
    configFile: parts.configFile,
    env: process.env,
    openStore,
    openTransport: transport,
    fetchUser: createFetchUser(transport, client),
    redactor: parts.redactor,
    interactive,
    warn,
    browser: {
      platform: process.platform,
      self: selfCommand(process),
      readLines: (signal) => readLines(process.stdin, signal),
    },
    signal: parts.signal(),
  });
}

/** A function that calls `create` once, and returns the same promise afterwards. */
function once<T>(create: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined;
  return () => {
    promise ??= create();
    return promise;
  };
}

/** A failed write must not change the exit code. */
function writeNote(stderr: TextSink, text: string): void {
  stderr.write(`${text}\n`).catch(() => undefined);
}

interface OutputParts extends Pick<Context, "note" | "input"> {
  readonly settings: () => Settings;
}

function createOutputMembers(
  run: RunSettings,
  { process, stdout, clock, signal, resources }: HostParts,
  { settings, note, input }: OutputParts,
): Pick<Context, "prepareOutput" | "isTerminal" | "output" | "outputFormat"> {
  const page = async (text: string): Promise<void> => {
    const { showInPager } = await import("../terminal/pager.js");
    const options = { env: process.env, rows: stdout.rows, handleSignals: () => void signal() };
    if (!(await showInPager(text, options))) await stdout.write(text);
  };
  const target = (): OutputTarget => ({
    write: stdout.isTerminal && process.stdin.isTTY === true ? page : stdout.write,
    isTerminal: stdout.isTerminal,
    columns: stdout.columns,
    color: isColorEnabled({ choice: run.color, env: process.env, isTerminal: stdout.isTerminal }),
    unicode: !stdout.isTerminal || isUnicodeLocale(process),
  });
  let program: OutputProgram | null = null;
  return {
    async prepareOutput() {
      if (run.program !== null)
        program = await loadProgram(run.program, { process, signal, resources, input });
    },
    get isTerminal() {
      return stdout.isTerminal;
    },
    output: (view) => {
      const options = { ...run, zone: () => settings().timezone, now: clock.now, note, program };
      return createOutput(view, options, target());
    },
    outputFormat() {
      if (run.format !== null) checkFormat(run.format, { noun: "this command's" });
      return effectiveFormat(run, stdout);
    },
  };
}

/** Loads jq or Liquid only when it is used. */
async function loadProgram(
  { kind, text }: ProgramChoice,
  {
    process,
    signal,
    resources,
    input,
  }: Pick<HostParts, "process" | "signal" | "resources"> & Pick<Context, "input">,
): Promise<OutputProgram> {
  if (kind === "jq") {
    const [{ createJqProgram }, optimization] = await Promise.all([
      import("../output/formats/jq.js"),
      import("../system/wasm-optimization.js"),
    ]);
    optimization.disableWasmOptimization();
    resources.add(optimization.restoreWasmOptimization);
    return createJqProgram(text, (work) => {
      signal().throwIfAborted();
      return withDefaultSignals(process, work);
    });
  }
  const { createTemplateProgram } = await import("../output/formats/template.js");
  if (!text.startsWith("@")) return createTemplateProgram(text, "--template");
  return createTemplateProgram(await input.text(text.slice(1), "--template"), `--template ${text}`);
}

async function openSandbox(
  parts: HostParts,
  { run, createHost }: Omit<CompositionOptions, "flags">,
  { color, timezone = parts.systemTimeZone() ?? "UTC" }: RunSettings,
) {
  const { process, stdout } = parts;
  const { createSandbox } = await import("./sandbox.js");
  const sandbox = await createSandbox({
    createHost,
    run,
    now: parts.clock.now,
    userName: systemUserName(),
    timezone,
    columns: stdout.columns ?? 100,
    color: isColorEnabled({ choice: color, env: process.env, isTerminal: stdout.isTerminal }),
  });
  parts.resources.add(() => sandbox.close());
  return sandbox;
}
