import { readEnvironmentToken, type Token } from "../auth/token-sources.js";
import { type Environment, isSwitchedOn, readVariable } from "../config/environment.js";
import { createProfileStore } from "../config/profile-store.js";
import { emptyFlag, LOCAL_PROFILE } from "../config/settings.js";
import type { Context, GlobalFlags, StatusFacts } from "../context.js";
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
import { sanitizeBlock, sanitizeLine } from "../output/sanitize.js";
import { wantsColor } from "../output/style.js";
import { chooseToken, createBackend } from "./backend.js";
import { chooseFormat } from "./format-choice.js";
import { createInput } from "./input.js";
import { createServiceOpener, openLocalService, systemUserName } from "./local-backend.js";
import { createNetworkTransport, traced } from "./network.js";
import { createPrompt } from "./prompt.js";
import { once } from "./resources.js";
import { createServiceAccess } from "./service-access.js";
import { createSettings, decideTimeout, readNamedZone } from "./settings.js";
import type { TextSink } from "./text-sink.js";

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
  const note = (text: string): void => {
    if (flags.quiet !== true) warn(text);
  };
  const { configFile, systemTimeZone } = parts;
  const settings = createSettings({ flags, env, configFile, systemTimeZone, note });
  const open = createServiceOpener(parts, (error) => {
    if (!isDebugging(flags, env)) return;
    writeNote(stderr, sanitizeBlock(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  });
  const environmentToken = () => readToken(env);
  checkGlobalFlags(flags, env);
  return {
    flags,
    now: parts.now,
    note,
    warn,
    prompt: createPrompt(process, flags.prompts !== false),
    input: createInput(process),
    settings,
    profiles: () => createProfileStore({ file: configFile, isTimeZone }),
    profileName: () =>
      flags.profile ?? readVariable(env, "CALCTL_PROFILE") ?? configFile.read().profile ?? LOCAL_PROFILE,
    api: once(() => {
      const timeout = decideTimeout(flags, env);
      return createBackend({
        settings: settings(),
        environmentToken,
        localService: parts.overrides.localService ?? (() => openLocalService(open, parts.database(), note)),
        networkTransport: () => createNetworkTransport(timeout, parts.resources),
        decorate: (transport) => traced(transport, { flags, now: parts.now, write: warn }),
        signal: parts.signal,
      });
    }),
    statusFacts: () => readStatusFacts({ settings, environmentToken }),
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
  decideTimeout(flags, env);
  readNamedZone(flags, env);
}

function isDebugging({ debug }: GlobalFlags, env: Environment): boolean {
  return debug === true || isSwitchedOn(readVariable(env, "CALCTL_DEBUG"));
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
    printJson: (value, layout) =>
      stdout.write(`${JSON.stringify(value, undefined, layout === "line" ? 0 : 2)}\n`),
  };
}

function decideColor(flags: GlobalFlags, env: Environment, { isTerminal }: TextSink): boolean {
  return wantsColor({ flag: decideColorChoice(flags), env, isTerminal });
}

function decideColorChoice({ color }: GlobalFlags): "auto" | "always" | "never" | undefined {
  if (color === undefined || color === "auto" || color === "always" || color === "never") return color;
  throw usageError(`--color: "${color}" is none of auto, always, never`);
}

function readToken(env: Environment): Token | null {
  return readEnvironmentToken({
    token: readVariable(env, "CALCTL_TOKEN"),
    tokenFile: readVariable(env, "CALCTL_TOKEN_FILE"),
    credentialsDirectory: env["CREDENTIALS_DIRECTORY"],
  });
}

interface StatusOptions {
  readonly settings: Context["settings"];
  readonly environmentToken: () => Token | null;
}

function readStatusFacts({ settings, environmentToken }: StatusOptions): StatusFacts {
  const { profile, service } = settings();
  const facts = { profile, baseUrl: service.kind === "remote" ? service.baseUrl.value : null };
  try {
    const token = chooseToken({ settings: settings(), environmentToken });
    return { ...facts, tokenSource: token?.source ?? null, tokenError: null };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
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
    now: parts.now,
    userName: systemUserName(),
    systemTimeZone: () => timezone,
    columns: parts.stdout.columns ?? 100,
    color: decideColor(flags, parts.process.env, parts.stdout),
  });
  parts.resources.add(() => sandbox.close());
  return sandbox;
}
