export type ChildEnvironment = Readonly<Record<string, string | undefined>>;

/** Variables of ours that hold secrets; what is added to those of the configuration belongs here too. */
const SECRETS = ["CALCTL_TOKEN", "CALCTL_CLIENT_SECRET"];

/** The environment as programs that we start may have it: without the secrets that are meant for us. */
export function childEnvironment(env: ChildEnvironment): ChildEnvironment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.includes(name)));
}
