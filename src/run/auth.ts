import { join } from "node:path";
import type { LoginRequest, LoginResult } from "../auth/login.js";
import type { Session } from "../auth/session.js";
import { type Environment, readVariable } from "../config/environment.js";
import { profileName, type Settings } from "../config/settings.js";
import type { OpenStore, StoreOptions } from "../secrets/store.js";
import { selfCommand } from "../system/child-process.js";
import { once } from "../system/clock.js";
import { readLines } from "../terminal/input.js";
import { type ClientDependencies, createFetchUser, openTransport } from "./client.js";
import type { Machine } from "./machine.js";

export interface AuthOptions {
  readonly settings: () => Settings;
  readonly interactive: () => boolean;
  readonly warn: (text: string) => void;
  /** Gets what is worth a line, but no mail of a scheduler. */
  readonly note: (text: string) => void;
}

/** The token of this run, and signing in and out. */
export function composeAuth(client: ClientDependencies, { settings, interactive, warn, note }: AuthOptions) {
  const { machine, flags } = client;
  const { env, configFile, signal, redactor, userId } = machine;
  const config = () => configFile.read();
  const openStore = createStoreOpener(machine, { purpose: "token", interactive, warn, signal });
  const tokens = once(async () => {
    const { createTokenProvider } = await import("../auth/sources/token-provider.js");
    return createTokenProvider({ settings, env, config, openStore, signal, redactor, userId, note });
  });
  const load = once(async () => {
    const { createSession } = await import("../auth/session.js");
    return createSession({
      configFile,
      env,
      settings,
      profileName: () => profileName(flags.profile, config(), () => readVariable(env, "CALCTL_PROFILE")),
      openStore,
      tokenProvider: await tokens(),
      login: (request) => runLogin(request, { client, openStore, interactive, warn }),
      warn,
    });
  });
  // Few commands sign in or out.
  const session: Session = {
    login: async (request) => (await load()).login(request),
    logout: async () => (await load()).logout(),
    removeToken: async (profile) => (await load()).removeToken(profile),
    token: async () => (await load()).token(),
    status: async () => (await load()).status(),
  };
  // Only once: it may run a program.
  const token = once(async () => {
    if (settings().service.kind === "local" && !mayHoldToken(env)) return null;
    return (await tokens()).token();
  });
  return { session, token };
}

/** Whether a variable of the environment holds or names a token. */
function mayHoldToken(env: Environment): boolean {
  const names = ["CALCTL_TOKEN", "CALCTL_TOKEN_FILE", "CREDENTIALS_DIRECTORY"] as const;
  return names.some((name) => env[name] !== undefined);
}

/** Loads a store only when it is opened. */
export function createStoreOpener(
  { process, env, overrides, userId, dataDirectory }: Machine,
  defaults: StoreOptions,
): OpenStore {
  return async (name, changes) => {
    if (name === "file") {
      const { createSecretFiles } = await import("../secrets/secret-file.js");
      const directory = join(dataDirectory(), "tokens");
      return createSecretFiles({ directory, userId });
    }
    if (overrides.keychain !== undefined) return overrides.keychain;
    const { createKeychain } = await import("../secrets/keychain.js");
    return createKeychain({ ...defaults, ...changes, self: selfCommand(process), env });
  };
}

/** Larger than any token or user (bytes). */
const MAX_LOGIN_RESPONSE = 1024 * 1024;

interface LoginOptions extends Pick<AuthOptions, "interactive" | "warn"> {
  readonly client: ClientDependencies;
  readonly openStore: OpenStore;
}

/** Loads the login code only when it is needed. */
async function runLogin(
  request: LoginRequest,
  { client, openStore, interactive, warn }: LoginOptions,
): Promise<LoginResult> {
  const { machine, flags } = client;
  const { process, env } = machine;
  const { login } = await import("../auth/login.js");
  const transport = once(() => openTransport(client, { maxResponseSize: MAX_LOGIN_RESPONSE }));
  return login(request, {
    profileFlag: flags.profile,
    configFile: machine.configFile,
    env,
    openStore,
    openTransport: transport,
    fetchUser: createFetchUser(transport, client),
    redactor: machine.redactor,
    interactive,
    warn,
    browser: {
      platform: process.platform,
      self: selfCommand(process),
      readLines: (signal) =>
        readLines(process, { signal, interrupt: () => process.kill(process.pid, "SIGINT") }),
    },
    signal: machine.signal(),
  });
}
