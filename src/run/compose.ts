import { crc32 } from "node:zlib";
import type { Client } from "../api/client.js";
import type { PlannedRequest } from "../api/dry-run.js";
import {
  type CacheFile,
  type CacheFileOptions,
  cacheName,
  createCacheFile,
  dropCachesOf,
} from "../cache/cache-file.js";
import { createNameCache, type NameCache, storeNames } from "../cache/name-cache.js";
import { createRecentEvents } from "../cache/recent-events.js";
import { childEnvironment } from "../config/environment.js";
import { createProfileStore } from "../config/profile-store.js";
import { type GlobalFlags, type RunSettings, readRunSettings } from "../config/run-settings.js";
import { profileName, readSettings, type Settings } from "../config/settings.js";
import { checkFormatName } from "../output/output.js";
import { isColorEnabled, isUnicodeLocale } from "../output/style.js";
import type { Token } from "../secrets/environment-secret.js";
import { once } from "../system/clock.js";
import { readOnlyIf } from "../system/read-only.js";
import { createInput } from "../terminal/input.js";
import { createMessages } from "../terminal/messages.js";
import { createPrompt } from "../terminal/prompt.js";
import { ignoreInterrupt } from "../terminal/signals.js";
import { composeAuth } from "./auth.js";
import { type ClientDependencies, createServiceClient, isSilentJob } from "./client.js";
import type { Machine } from "./machine.js";
import { composeOutput } from "./output.js";
import type { CreateHost, Frame, KnownNames, Program, Run, Terminal } from "./run.js";

export interface CompositionOptions {
  readonly flags: GlobalFlags;
  readonly frame: Frame;
  readonly createHost: CreateHost;
}

/**
 * Composes what one command may use. Expensive parts are created when they are first used.
 * @throws CliError usage, configuration for a wrong global flag or variable
 */
export function composeRun(host: Machine, options: CompositionOptions): Run {
  const flags = readRunSettings(options.flags, host.env);
  const readOnly = () => ({ ...host, configFile: readOnlyIf(true, host.configFile, ["path", "read"]) });
  const machine = flags.dryRun ? readOnly() : host;
  const { env, configFile } = machine;
  if (flags.format !== null) checkFormatName(flags.format);
  const messages = once(() => createMessages(machine, flags));
  const planned: PlannedRequest[] = [];
  const isPlanned = () => planned.length > 0;
  const note = (text: string): void => messages().note(isPlanned() ? `${text} (dry run)` : text);
  const warn = (text: string): void => messages().warn(text);
  const { systemTimeZone } = machine;
  const settings = once(() => readSettings({ run: flags, env, configFile, systemTimeZone, note }));
  const terminal = composeTerminal(machine, flags, warn);
  const trace = (lines: readonly string[]): void => messages().trace(lines);
  const dependencies: ClientDependencies = { machine, flags, planned, trace };
  const info = (text: string): void => {
    if (!isSilentJob(dependencies)) note(text);
  };
  const interactive = () => terminal.prompt.available;
  const auth = composeAuth(dependencies, { settings, interactive, warn, note: info });
  const openLocal = async () => {
    const { openLocalDatabase } = await import("../../service/access/open.js");
    return openLocalDatabase({ machine, note }, { database: machine.database(), rateLimit: null });
  };
  const localService = machine.overrides.localService ?? openLocal;
  const account = () => writingAccount(machine, { settings: settings(), token: auth.token });
  const { state, writes } = composeState(machine, flags, { account, note, info, warn });
  const client = once(async () => {
    const service = { settings: settings(), token: auth.token, localService };
    return createServiceClient(service, dependencies);
  });
  const { names, api } = composeCaches(machine, { settings, isPlanned }, client);
  return {
    now: machine.clock.now,
    flags,
    config: {
      settings,
      profiles: () => createProfileStore(configFile, env["PATH"]),
      profileName: () =>
        profileName(flags.profile, configFile.read(), () => env["CALCTL_PROFILE"] || undefined),
    },
    api,
    get session() {
      return readOnlyIf(flags.dryRun, auth.session, ["token", "status"]);
    },
    names,
    output: composeOutput(flags, machine, {
      ...{ settings, note, warn, planned },
      input: () => terminal.input,
      getEvent: async (address) => (await api()).getEvent(address),
    }),
    terminal,
    targets: once(async () => {
      const { composeTargets } = await import("./targets.js");
      return composeTargets(dependencies, { interactive, warn, note: info });
    }),
    state,
    writes,
    writing: async () => ({ client: await api(), writes: flags.dryRun ? null : await writes() }),
    program: composeProgram(host, options),
    machine,
  };
}

interface AccountOptions {
  readonly settings: Settings;
  /** Null if there is none. */
  readonly token: () => Promise<Token | null>;
}

/**
 * Whose commands an undo lists; null if the profile keeps no journal. Without a profile, they are those of the token, by a
 * checksum of it: loading what computes a digest takes as long as recording a write.
 */
async function writingAccount(
  { dataDirectory }: Machine,
  { settings, token }: AccountOptions,
): Promise<string | null> {
  if (settings.setting("journal")?.value === "off") return null;
  const { profile, service } = settings;
  const account = profile || `token:${crc32((await token())?.value ?? "")}`;
  return `${account} ${service.kind === "local" ? dataDirectory() : service.baseUrl.value}`;
}

interface StateOptions {
  /** Whose writes they are; null where none are kept. */
  readonly account: () => Promise<string | null>;
  readonly note: (text: string) => void;
  /** A note that jobs do not print. */
  readonly info: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** Opens `state.db` for what needs it: nothing else loads SQLite because of it. A dry run creates none. */
function composeState(
  machine: Machine,
  { dryRun, command }: RunSettings,
  { account: accountOf, note, info, warn }: StateOptions,
): Pick<Run, "state" | "writes"> {
  const open = once(async () => {
    const { openState } = await import("../state/state.js");
    const { clock, process, signal, resources } = machine;
    const path = machine.stateFile();
    const create = !dryRun;
    const opened = await openState({ path, clock, process, signal, create, note, noteWait: info });
    resources.add(opened.close);
    return opened;
  });
  return {
    state: {
      open,
      sent: once(async () => (await import("../state/sent.js")).createSent(await open())),
      seen: once(async () => (await import("../state/seen.js")).createSeenByName(await open())),
    },
    writes: once(async () => {
      const account = await accountOf();
      if (account === null) return null;
      const { createWrites, withoutNotes } = await import("../state/writes.js");
      const kept = createWrites({ open, account, command, warn });
      return dryRun ? withoutNotes(kept) : kept;
    }),
  };
}

function composeProgram(host: Machine, options: CompositionOptions): Program {
  const { frame, createHost } = options;
  return {
    ...frame,
    run: (argv, process, overrides) => frame.run(argv, createHost(process, overrides)),
    runIn: (env) => {
      const flags = { ...options.flags, prompts: false };
      return composeRun({ ...host, env }, { ...options, flags });
    },
  };
}

function composeTerminal(
  machine: Machine,
  { prompts, color, quiet }: RunSettings,
  warn: (text: string) => void,
): Terminal {
  const { process, env, signal } = machine;
  const prompt = once(() =>
    createPrompt(process, prompts, {
      ...machine,
      color: () => isColorEnabled({ choice: color, env, isTerminal: machine.stderr.isTerminal }),
      unicode: () => isUnicodeLocale(process),
    }),
  );
  const input = once(() => createInput(process, signal));
  return {
    get prompt() {
      return prompt();
    },
    get input() {
      return input();
    },
    get isTerminal() {
      return machine.stdout.isTerminal;
    },
    async openProgress() {
      const { createProgressBar } = await import("../terminal/progress-bar.js");
      return createProgressBar(machine.stderr, { quiet, unicode: () => isUnicodeLocale(process) });
    },
    async openEditor() {
      const { createEditor } = await import("../terminal/editor.js");
      return createEditor({
        env: childEnvironment(env),
        platform: process.platform,
        signal,
        ignoreInterrupt: (work) => ignoreInterrupt(process, work),
        warn,
      });
    },
  };
}

interface CacheAccess {
  readonly settings: () => Settings;
  /** Whether `--dry-run` has recorded a write. Nothing is cached then. */
  readonly isPlanned: () => boolean;
}

/** The caches of the service in use, and the client that fills them. */
function composeCaches(machine: Machine, access: CacheAccess, api: () => Promise<Client>) {
  const cache = once((): NameCache => {
    const nameCache = createNameCache(openCacheFile("names", machine, access), machine.clock.now);
    machine.resources.add(() => nameCache.save());
    return nameCache;
  });
  const recent = once(() => createRecentEvents(openCacheFile("events", machine, access), machine.clock.now));
  const names: KnownNames = {
    dropCache: (profile) => dropCachesOf(profile, machine.cacheDirectory),
    // Only where a person types: scripts must not depend on what was shown before. Asked in this order: Node creates
    // stdin on first access, which takes a millisecond.
    recentEvents: () => (machine.stderr.isTerminal && machine.process.stdin.isTTY === true ? recent() : null),
  };
  return {
    names,
    api: once(() => storeNames({ api, cache, forgetEvent: (id, scope) => recent().forget(id, scope) })),
  };
}

/** A file of the cache for the profile and service in use. */
function openCacheFile(
  kind: CacheFileOptions["kind"],
  { overrides, cacheDirectory: directory, clock }: Machine,
  { settings, isPlanned }: CacheAccess,
): CacheFile {
  const options = { kind, directory, name: () => cacheName(settings()), now: clock.now };
  const { read, write } = overrides.cacheFile?.(kind) ?? createCacheFile(options);
  return { read, write: async (members) => (isPlanned() ? undefined : write(members)) };
}
