import type { Environment } from "../config/environment.js";
import { missingFlagsError, usageError } from "../errors.js";
import {
  type EnvironmentSecret,
  findEnvironmentSecret,
  nameSource,
  readEnvironmentSecret,
  type SecretReadOptions,
  WEBHOOK_URL,
} from "../secrets/environment-secret.js";
import {
  checkName,
  type EnvironmentUrl,
  findRecord,
  openTarget,
  type TargetsDependencies,
} from "./open-target.js";
import { parseMailFlags } from "./sendmail.js";
import type { Target, TargetKind, TargetPlace, TargetRequest } from "./target.js";
import { checkPlace, parseWebhookUrl, secretsOf } from "./webhook-url.js";

interface TargetSummary {
  readonly name: string;
  /** Any text, if another version has saved it. */
  readonly as: string;
}

export interface NewTarget extends TargetPlace {
  readonly name: string;
  readonly as: TargetKind;
  /** Whether one of the same name is replaced. */
  readonly replace: boolean;
  /** Stores the URL in a file instead of the keychain; undefined where it was not said. */
  readonly insecureStorage?: boolean | undefined;
  /** Reads the URL, or the bot's token. Undefined when the program must not ask. */
  readonly readUrl: () => Promise<{ readonly text: string; readonly source: string }>;
}

/** The targets of messages. */
export interface Targets {
  /** In the order of their names. */
  list(): readonly TargetSummary[];
  /** Saves a target. @throws CliError usage, configuration; what was saved before stays then */
  add(target: NewTarget): Promise<void>;
  /** Removes a target and its URL, and verifies that the URL is gone. @throws CliError not_found, configuration */
  remove(name: string): Promise<void>;
  /**
   * Finds where messages go, and loads the URL, so that what is wrong is known before anything is read or sent. With
   * `--dry-run` no URL is loaded, and nothing can be delivered.
   * @throws CliError usage, not_found with candidates, configuration
   */
  open(request: TargetRequest): Promise<Target>;
}

/** Lists, saves, removes and opens targets; masks each URL as soon as it is read. */
export function createTargets(dependencies: TargetsDependencies): Targets {
  const { storage } = dependencies;
  const readUrl = (text: string, kind: TargetKind, source: string): string => {
    dependencies.addSecret(text);
    const url = parseWebhookUrl(text, kind, source);
    for (const secret of secretsOf(url)) dependencies.addSecret(secret);
    return url;
  };
  return {
    list: () =>
      [...storage.records()]
        .map(([name, { as = "" }]) => ({ name, as }))
        .sort((one, other) => (one.name < other.name ? -1 : 1)),
    async add({ readUrl: ask, replace, insecureStorage = false, ...target }) {
      const { as } = target;
      const addresses = checkNewTarget({ ...target, insecureStorage });
      const url = async () => {
        const { text, source } = await ask();
        return readUrl(text, as, source);
      };
      await storage.save(
        { ...target, ...addresses },
        { replace, insecureStorage, readUrl: as === "mail" ? null : url },
      );
    },
    async remove(name) {
      findRecord(storage, name);
      await storage.remove(name);
    },
    open: (request) => openTarget(request, readUrl, dependencies),
  };
}

/** @returns the addresses of mail. @throws CliError usage */
function checkNewTarget({
  name,
  as,
  insecureStorage,
  ...place
}: Omit<NewTarget, "replace" | "readUrl">): TargetPlace {
  checkName(name);
  checkPlace(as, place);
  const { to, from, bcc } = place;
  if (as !== "mail") {
    const [flag] = Object.entries({ to, from, bcc }).find(([, value]) => value !== undefined) ?? [];
    if (flag !== undefined) throw usageError(`--${flag}: only mail has addresses, not ${as}`);
    return {};
  }
  if (insecureStorage === true) throw usageError("--insecure-storage: mail has no URL that could be stored");
  if (to === undefined) throw missingFlagsError(["--to"], "mail needs an address");
  return parseMailFlags(place);
}

/** The webhook of the environment; null without one. @throws CliError configuration when it cannot be read */
export async function readEnvironmentUrl(
  env: Environment,
  reading: SecretReadOptions,
): Promise<EnvironmentUrl | null> {
  const found = findEnvironmentSecret(env, WEBHOOK_URL);
  if (found === null) return null;
  const text = await readEnvironmentSecret(found, WEBHOOK_URL, reading);
  return { text, source: nameSource(found), renewHint: `create a new one, and ${placeOf(found)}` };
}

/** Where a new URL goes. What is in the folder of credentials is a copy that systemd makes for each run. */
function placeOf(found: EnvironmentSecret): string {
  if ("text" in found) return `set ${found.source} to its URL`;
  if (found.source !== "CREDENTIALS_DIRECTORY") return `write its URL into ${found.path}`;
  return `write its URL into the file that the unit loads as ${WEBHOOK_URL.credential}`;
}
