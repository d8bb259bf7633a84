import type { Environment } from "../config/environment.js";
import { createProfileStore } from "../config/profile-store.js";
import type { Context, GlobalFlags, Settings, StatusFacts } from "../context.js";
import { isTimeZone } from "../contract/time-zone.js";
import { usageError } from "../errors.js";
import type { createHost, HostContext, HostParts, Run } from "../host.js";
import { checkFormat, createOutput, effectiveFormat, type OutputTarget } from "../output/output.js";
import { sanitizeLine } from "../output/sanitize.js";
import { wantsColor } from "../output/style.js";
import { createBackend } from "./backend.js";
import { createStoreOpener } from "./credential-stores.js";
import { chooseFormat } from "./format-choice.js";
import { createInput } from "./input.js";
import { createServiceOpener, openLocalService, systemUserName } from "./local-backend.js";
import { createNetworkTransport, traced } from "./network.js";
import { profileName } from "./profile-choice.js";
import { createPrompt } from "./prompt.js";
import { once } from "./resources.js";
import { createServiceAccess } from "./service-access.js";
import { createSession } from "./session.js";
import { createSettings } from "./settings.js";
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
  const warn = (text: string): void => void stderr.write(`${sanitizeLine(text)}\n`);
  const note = (text: string): void => {
    if (flags.quiet !== true) warn(text);
  };
  const { configFile, systemTimeZone } = parts;
  const settings = createSettings({ flags, env, configFile, systemTimeZone, note });
  const open = createServiceOpener(parts, (error) => {
    if (flags.debug === true) warn(error instanceof Error ? (error.stack ?? error.message) : String(error));
  });
  const prompt = createPrompt({
    stdin: process.stdin,
    stderr: process.stderr,
    env,
    allowed: flags.prompts !== false,
    signal: parts.signal,
  });
  const openStore = createStoreOpener(parts, {
    interactive: prompt.available,
    tell: warn,
    signal: parts.signal,
  });
  const config = () => configFile.read();
  const tokenChoice = createTokenChoice({ settings, env, config, openStore, signal: parts.signal });
  return {
    flags,
    now: parts.now,
    note,
    warn,
    prompt,
    input: createInput(process.stdin),
    settings,
    profiles: () => createProfileStore({ file: configFile, isTimeZone }),
    profileName: () => profileName(flags, configFile.read(), env),
    api: once(() =>
      createBackend({
        settings: settings(),
        token: tokenChoice.token,
        localService: parts.overrides.localService ?? (() => openLocalService(open, parts.database, note)),
        networkTransport: () => createNetworkTransport(flags, parts),
        decorate: (transport) => traced(transport, { flags, now: parts.now, write: warn }),
        signal: parts.signal,
      }),
    ),
    session: createSession({ parts, flags, openStore, tokenChoice, interactive: prompt.available, warn }),
    statusFacts: () => readStatusFacts(settings(), tokenChoice),
    ...createPrinting(flags, env, stdout),
    service: createServiceAccess({ defaultDatabase: parts.database, open, signal: parts.signal }),
    sandbox: () => openSandbox(parts, options),
  };
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
    isTerminal: stdout.isTerminal,
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

function decideColor({ color }: GlobalFlags, env: Environment, { isTerminal }: TextSink): boolean {
  if (color !== undefined && color !== "auto" && color !== "always" && color !== "never") {
    throw usageError(`--color: "${color}" is none of auto, always, never`);
  }
  return wantsColor({ flag: color, env, isTerminal });
}

function readStatusFacts({ profile, service }: Settings, tokenChoice: TokenChoice): StatusFacts {
  return {
    profile,
    baseUrl: service.kind === "remote" ? service.baseUrl.value : null,
    tokenSource: tokenChoice.source(),
  };
}

async function openSandbox(parts: HostParts, { flags, run, createHost }: CompositionOptions) {
  const { createSandbox } = await import("./sandbox.js");
  const sandbox = await createSandbox({
    createHost,
    run,
    now: parts.now,
    userName: systemUserName(),
    systemTimeZone: parts.systemTimeZone,
    columns: parts.stdout.columns ?? 100,
    color: decideColor(flags, parts.process.env, parts.stdout),
  });
  parts.resources.add(() => sandbox.close());
  return sandbox;
}
