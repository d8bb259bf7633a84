import { dropCachesOf } from "../cache/cache-file.js";
import { createRecentEvents, type RecentEvents } from "../cache/recent-events.js";
import { createProfileStore } from "../config/profile-store.js";
import { type GlobalFlags, type RunSettings, readRunSettings } from "../config/run-settings.js";
import { createSettings, profileName, type Settings } from "../config/settings.js";
import type { Context } from "../context.js";
import { stackTrace } from "../output/error-report.js";
import { checkFormatName } from "../output/output.js";
import { sanitizeLine } from "../output/sanitize.js";
import { isColorEnabled, isUnicodeLocale } from "../output/style.js";
import { createEditor } from "../terminal/editor.js";
import { createInput } from "../terminal/input.js";
import { createPrompt } from "../terminal/prompt.js";
import type { TextSink } from "../terminal/text-sink.js";
import { composeAuth } from "./authentication.js";
import { type ClientParts, createServiceClient, once } from "./client.js";
import { withPermissionsNote, withPrivateDatabase } from "./database-permissions.js";
import { readOnlyConfig, readOnlyService, readOnlySession } from "./dry-run.js";
import type { createHost } from "./host.js";
import { createServiceOpener, openLocalService, systemUserName } from "./local-service.js";
import { composeNames, openCacheFile } from "./names.js";
import { createOutputMembers } from "./output.js";
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
export function composeContext(host: HostParts, options: CompositionOptions): HostContext {
  const run = readRunSettings(options.flags, host.process.env);
  const parts = run.dryRun ? { ...host, configFile: readOnlyConfig(host.configFile) } : host;
  const { process, stderr, configFile, systemTimeZone } = parts;
  const { env } = process;
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
  const prompt = createPrompt(process, run.prompts, {
    ...parts,
    color: () => isColorEnabled({ choice: run.color, env, isTerminal: stderr.isTerminal }),
    unicode: () => isUnicodeLocale(process),
  });
  const client: ClientParts = { parts, run, trace };
  const auth = composeAuth(client, { settings, interactive: () => prompt.available, warn });
  const service = createServiceAccess({
    defaultDatabase: parts.database,
    open,
    signal: parts.signal,
    openPrivate: withPrivateDatabase(openService, permissions),
    note,
    writeLog: (text) => stderr.write(text).catch(() => undefined),
    onFailure: (failure) => {
      if (run.debug) writeNote(stderr, stackTrace(failure));
    },
  });
  // Only once: it may run a program.
  const token = once(auth.token);
  const { names, api } = composeNames(parts, {
    settings,
    refresh: run.refresh,
    token,
    api: once(() =>
      createServiceClient(
        {
          settings: settings(),
          token,
          localService:
            parts.overrides.localService ??
            (() => openLocalService(open, { database: parts.database() }, note)),
        },
        client,
      ),
    ),
  });
  return {
    dryRun: run.dryRun,
    calendarFlags: run.calendars,
    now: parts.clock.now,
    note,
    warn,
    prompt,
    editor: createEditor({ env, signal: parts.signal, warn }),
    input,
    settings,
    profiles: () => createProfileStore(configFile, env["PATH"]),
    profileName: () => profileName(run.profile, configFile.read(), () => env["CALCTL_PROFILE"] || undefined),
    api,
    session: run.dryRun ? readOnlySession(auth.session) : auth.session,
    names,
    dropCache: (profile) => dropCachesOf(profile, parts.cacheDirectory),
    recentEvents: createRecentEventsOf(parts, settings),
    ...createOutputMembers(run, parts, { settings, note, input }),
    service: run.dryRun ? readOnlyService(service) : service,
    sandbox: () => openSandbox(parts, options, run),
  };
}

/** Only where a person types: scripts must not depend on what was shown before. */
function createRecentEventsOf(parts: HostParts, settings: () => Settings): Context["recentEvents"] {
  let recent: RecentEvents | undefined;
  return () => {
    if (parts.process.stdin.isTTY !== true || !parts.stderr.isTerminal) return null;
    recent ??= createRecentEvents(openCacheFile("events", parts, settings), parts.clock.now);
    return recent;
  };
}

/** A failed write must not change the exit code. */
function writeNote(stderr: TextSink, text: string): void {
  stderr.write(`${text}\n`).catch(() => undefined);
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
