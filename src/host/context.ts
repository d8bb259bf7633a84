import { dropCachesOf } from "../cache/cache-file.js";
import { createRecentEvents, type RecentEvents } from "../cache/recent-events.js";
import { childEnvironment } from "../config/environment.js";
import { createProfileStore } from "../config/profile-store.js";
import { type GlobalFlags, type RunSettings, readRunSettings } from "../config/run-settings.js";
import { createSettings, profileName, type Settings } from "../config/settings.js";
import type { Context, KnownNames, Terminal } from "../context.js";
import type { LocalService, Machine } from "../machine.js";
import { checkFormatName } from "../output/output.js";
import { isColorEnabled, isUnicodeLocale } from "../output/style.js";
import { readOnlyIf } from "../system/read-only.js";
import { createEditor } from "../terminal/editor.js";
import { createInput } from "../terminal/input.js";
import { createMessages } from "../terminal/messages.js";
import { createPrompt } from "../terminal/prompt.js";
import { ignoreInterrupt } from "../terminal/signals.js";
import { composeAuth } from "./authentication.js";
import { type ClientParts, createServiceClient, isSilentJob } from "./client.js";
import { once, withLazyMembers } from "./lazy.js";
import { composeNames, openCacheFile } from "./names.js";
import { composeOutput } from "./output.js";
import type { CreateHost, Frame } from "./parts.js";

export interface CompositionOptions {
  readonly flags: GlobalFlags;
  readonly frame: Frame;
  readonly createHost: CreateHost;
}

/**
 * Composes what one command may use. Expensive parts are created when they are first used.
 * @throws CliError usage, configuration for a wrong global flag or variable
 */
export function composeContext(host: Machine, options: CompositionOptions): Context {
  const run = readRunSettings(options.flags, host.env);
  const parts = { ...host, configFile: readOnlyIf(run.dryRun, host.configFile, ["path", "read"]) };
  const { env, configFile } = parts;
  if (run.format !== null) checkFormatName(run.format);
  const messages = createMessages(parts.stderr, run);
  const { note, warn, trace } = messages;
  const settings = createSettings({ run, env, configFile, systemTimeZone: parts.systemTimeZone, note });
  const terminal = composeTerminal(parts, run, warn);
  const client: ClientParts = { parts, run, trace };
  const aside = (text: string): void => {
    if (!isSilentJob(client)) note(text);
  };
  const interactive = () => terminal.prompt.available;
  const auth = composeAuth(client, { settings, interactive, warn, note: aside });
  const localService = parts.overrides.localService ?? (() => openLocal(parts, note));
  const { names, api } = composeNames(parts, {
    settings,
    refresh: run.refresh,
    token: auth.token,
    api: once(() => createServiceClient({ settings: settings(), token: auth.token, localService }, client)),
  });
  return {
    now: parts.clock.now,
    flags: run,
    config: {
      settings,
      profiles: () => createProfileStore(configFile, env["PATH"]),
      profileName: () =>
        profileName(run.profile, configFile.read(), () => env["CALCTL_PROFILE"] || undefined),
    },
    api,
    session: readOnlyIf(run.dryRun, auth.session, ["token", "status"]),
    names: {
      ...names,
      dropCache: (profile) =>
        dropCachesOf(profile, { directory: parts.cacheDirectory, userId: parts.userId }),
      recentEvents: createRecentEventsOf(parts, settings),
    },
    output: composeOutput(run, parts, { settings, note, warn, input: () => terminal.input }),
    terminal,
    messages: {
      webhooks: once(async () => {
        const { composeWebhooks } = await import("./webhooks.js");
        return composeWebhooks(client, { interactive, warn, note: aside });
      }),
      // Nothing else loads it, or SQLite because of it.
      ledger: once(async () => (await import("../messages/ledger/open-ledger.js")).openMachineLedger(parts)),
    },
    program: {
      ...options.frame,
      run: (argv, process, overrides) => options.frame.run(argv, options.createHost(process, overrides)),
      contextIn: (env) => {
        const flags = { ...options.flags, prompts: false };
        return composeContext({ ...host, env }, { ...options, flags });
      },
    },
    machine: parts,
  };
}

function composeTerminal(
  machine: Machine,
  { prompts, color }: RunSettings,
  warn: (text: string) => void,
): Terminal {
  const { process, env, signal, stdout, stderr } = machine;
  return withLazyMembers({
    prompt: () =>
      createPrompt(process, prompts, {
        ...machine,
        color: () => isColorEnabled({ choice: color, env, isTerminal: stderr.isTerminal }),
        unicode: () => isUnicodeLocale(process),
      }),
    editor: () =>
      createEditor({
        env: childEnvironment(env),
        platform: process.platform,
        signal,
        ignoreInterrupt: (work) => ignoreInterrupt(process, work),
        warn,
      }),
    input: () => createInput(process, signal),
    isTerminal: () => stdout.isTerminal,
  });
}

/** The embedded service behind the profile `local`. */
async function openLocal(machine: Machine, note: (text: string) => void): Promise<LocalService> {
  const [{ createServiceOpener, openLocalService }, { withPermissionsNote }] = await Promise.all([
    import("../../service/access/local-service.js"),
    import("../../service/access/database-permissions.js"),
  ]);
  const open = withPermissionsNote(createServiceOpener(machine), { userId: machine.userId, note });
  return openLocalService(open, { database: machine.database() }, note);
}

/** Only where a person types: scripts must not depend on what was shown before. */
function createRecentEventsOf(parts: Machine, settings: () => Settings): KnownNames["recentEvents"] {
  let recent: RecentEvents | undefined;
  return () => {
    // In this order: Node creates stdin on first access, which takes a millisecond.
    if (!parts.stderr.isTerminal || parts.process.stdin.isTTY !== true) return null;
    recent ??= createRecentEvents(openCacheFile("events", parts, settings), parts.clock.now);
    return recent;
  };
}
