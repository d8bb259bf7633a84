import { type Environment, isDebugging, readVariable } from "../config/environment.js";
import { createProfileStore } from "../config/profile-store.js";
import { emptyFlag } from "../config/settings.js";
import type { Context, GlobalFlags, Settings, StatusFacts } from "../context.js";
import { isTimeZone } from "../contract/time-zone.js";
import { CliError, usageError } from "../errors.js";
import type { createHost, HostContext, HostParts, Run } from "../host.js";
import {
  checkFormat,
  checkFormatName,
  createOutput,
  effectiveFormat,
  type OutputTarget,
} from "../output/output.js";
import { escapeJson, sanitizeLine } from "../output/sanitize.js";
import { stackTrace } from "../output/stack-trace.js";
import { wantsColor } from "../output/style.js";
import { createBackend } from "./backend.js";
import { createStoreOpener } from "./credential-stores.js";
import { chooseFormat } from "./format-choice.js";
import { createInput } from "./input.js";
import { createServiceOpener, openLocalService, systemUserName } from "./local-backend.js";
import { createNetworkTransport, traced } from "./network.js";
import { profileName } from "./profile-choice.js";
import { createPrompt } from "./prompt.js";
import { decideRequestLimits } from "./request-limits.js";
import { createResilience } from "./resilience.js";
import { once } from "./resources.js";
import { createServiceAccess } from "./service-access.js";
import { createSession } from "./session.js";
import { createSettings, readNamedZone } from "./settings.js";
import type { TextSink } from "./text-sink.js";
import { createTokenChoice, type TokenChoice } from "./token-choice.js";

export interface CompositionOptions {
  readonly flags: GlobalFlags;
  readonly run: Run;
  readonly createHost: typeof createHost;
}

/** Puts together what one command may use; nothing expensive is done before it is asked for. */
export function composeContext(parts: HostParts, options: CompositionOptions): HostContext {
  const { process, stdout, stderr } = parts;
  const { flags } = options;
  const { env } = process;
  const warn = (text: string): void => writeNote(stderr, sanitizeLine(text));
  const trace = (lines: readonly string[]): void => writeNote(stderr, lines.map(sanitizeLine).join("\n"));
  const note = (text: string): void => {
    if (flags.quiet !== true) warn(text);
  };
  const { configFile, systemTimeZone } = parts;
  const settings = createSettings({ flags, env, configFile, systemTimeZone, note });
  const open = createServiceOpener(parts, (error) => {
    if (!isDebugging(flags, env)) return;
    writeNote(stderr, stackTrace(error));
  });
  checkGlobalFlags(flags, env);
  const prompt = createPrompt(process, flags.prompts !== false, parts);
  const interactive = () => prompt.available;
  const openStore = createStoreOpener(parts, { interactive, tell: warn, signal: parts.signal });
  const config = () => configFile.read();
  const tokenChoice = createTokenChoice({
    settings,
    env,
    config,
    openStore,
    signal: parts.signal,
    secrets: parts.secrets,
  });
  return {
    flags,
    now: parts.clock.now,
    note,
    warn,
    prompt,
    input: createInput(process, parts.signal),
    settings,
    profiles: () => createProfileStore({ file: configFile, isTimeZone }),
    profileName: () => profileName(flags, configFile.read(), env),
    api: once(() =>
      createBackend({
        settings: settings(),
        token: tokenChoice.token,
        localService: parts.overrides.localService ?? (() => openLocalService(open, parts.database(), note)),
        networkTransport: () =>
          createNetworkTransport({
            timeout: decideRequestLimits(flags, env).timeout,
            after: parts.after,
            env,
            resources: parts.resources,
          }),
        decorate: (transport) => traced(transport, { flags, parts, write: trace }),
        resilience: (account) => createResilience({ parts, flags, account }),
      }),
    ),
    session: createSession({ parts, flags, openStore, tokenChoice, interactive, warn, trace }),
    statusFacts: () => readStatusFacts(settings, tokenChoice),
    ...createPrinting(flags, env, stdout),
    service: createServiceAccess({ defaultDatabase: parts.database, open, signal: parts.signal, note }),
    sandbox: () => openSandbox(parts, options, settings().timezone),
  };
}

/** A note that cannot be written must not decide how a run ends. */
function writeNote(stderr: TextSink, text: string): void {
  stderr.write(`${text}\n`).catch(() => undefined);
}

/** What is wrong with a flag or a variable is wrong for every command, whether it uses it or not. */
function checkGlobalFlags(flags: GlobalFlags, env: Environment): void {
  for (const name of ["CALCTL_TOKEN", "CALCTL_TOKEN_FILE", "CALCTL_BASE_URL", "CALCTL_PROFILE"] as const) {
    readVariable(env, name);
  }
  if (flags.profile === "") throw emptyFlag("--profile");
  const format = chooseFormat(flags.output, env);
  if (format !== null) checkFormatName(format);
  decideColorChoice(flags);
  decideRequestLimits(flags, env);
  readNamedZone(flags, env);
}

type Printing = Pick<Context, "isTerminal" | "output" | "outputFormat" | "printJson" | "printText">;

function createPrinting(flags: GlobalFlags, env: Environment, stdout: TextSink): Printing {
  const format = () => chooseFormat(flags.output, env);
  const target = (): OutputTarget => ({
    write: stdout.write,
    isTerminal: stdout.isTerminal,
    columns: stdout.columns,
    color: decideColor(flags, env, stdout),
  });
  return {
    get isTerminal() {
      return stdout.isTerminal;
    },
    output: (view) => createOutput(view, { format: format(), fields: flags.fields }, target()),
    outputFormat() {
      const choice = format();
      if (choice !== null) checkFormat(choice, "this command's");
      return effectiveFormat({ format: choice }, stdout);
    },
    printText: (text) => stdout.write(text),
    printJson: (value, layout) => stdout.write(jsonText(value, layout, stdout)),
  };
}

function jsonText(value: unknown, layout: "line" | "indented", { isTerminal }: TextSink): string {
  const text = `${JSON.stringify(value, undefined, layout === "line" ? 0 : 2)}\n`;
  return isTerminal ? escapeJson(text) : text;
}

function decideColor(flags: GlobalFlags, env: Environment, { isTerminal }: TextSink): boolean {
  return wantsColor({ flag: decideColorChoice(flags), env, isTerminal });
}

function decideColorChoice({ color }: GlobalFlags): "auto" | "always" | "never" | undefined {
  if (color === undefined || color === "auto" || color === "always" || color === "never") return color;
  throw usageError(`--color: "${color}" is none of auto, always, never`);
}

/** What is wrong with the settings themselves is reported too. */
async function readStatusFacts(settings: () => Settings, tokenChoice: TokenChoice): Promise<StatusFacts> {
  let facts: Pick<StatusFacts, "profile" | "baseUrl"> = { profile: null, baseUrl: null };
  try {
    const { profile, service } = settings();
    facts = { profile, baseUrl: service.kind === "remote" ? service.baseUrl.value : null };
    return { ...facts, tokenSource: await tokenChoice.source(), tokenError: null };
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "interrupted") throw error;
    return { ...facts, tokenSource: null, tokenError: error };
  }
}

async function openSandbox(
  parts: HostParts,
  { flags, run, createHost }: CompositionOptions,
  timezone: string,
) {
  const { createSandbox } = await import("./sandbox.js");
  const sandbox = await createSandbox({
    createHost,
    run,
    now: parts.clock.now,
    userName: systemUserName(),
    systemTimeZone: () => timezone,
    columns: parts.stdout.columns ?? 100,
    color: decideColor(flags, parts.process.env, parts.stdout),
  });
  parts.resources.add(() => sandbox.close());
  return sandbox;
}
