import { type Config, type ConfigFile, isStoreName, type TargetRecord } from "../config/config.js";
import { configurationError, usageError } from "../errors.js";
import type { WebhookUrlKey } from "../secrets/store.js";
import { type SecretPlace, type StorageDependencies, storeSecret } from "../secrets/store.js";
import type { TargetPlace } from "./target.js";

/** A target as it is saved, without the place of its URL. */
interface TargetSettings extends TargetPlace {
  readonly name: string;
  readonly as: string;
}

interface TargetSaving {
  /** Whether one of this name is replaced. */
  readonly replace: boolean;
  /** Reads the URL once it is clear that it can be stored; null for a target without one. */
  readonly readUrl: (() => Promise<string>) | null;
  /** Stores the URL in a file instead of the keychain. */
  readonly insecureStorage: boolean;
}

/** The saved targets: the configuration says which there are, a secret store has their URLs. */
export interface TargetStorage {
  /** By name. */
  records(): ReadonlyMap<string, TargetRecord>;
  /** When it fails, what was saved before stays. @throws CliError usage for a name that exists already */
  save(target: TargetSettings, saving: TargetSaving): Promise<void>;
  /** The URL of a saved target. @throws CliError configuration when the store cannot be read, or has it no longer */
  loadUrl(name: string, record: TargetRecord): Promise<string>;
  /** Removes the URL, verifies that it is gone, and forgets the target. @throws CliError configuration */
  remove(name: string): Promise<void>;
}

export interface TargetStorageDependencies extends Omit<StorageDependencies, "signal"> {
  readonly configFile: ConfigFile;
  readonly signal: () => AbortSignal;
}

/** Saves targets in the configuration, and their URLs in a secret store. */
export function createTargetStorage(dependencies: TargetStorageDependencies): TargetStorage {
  const { configFile, openStore } = dependencies;
  const records = () => configFile.read().targets ?? new Map<string, TargetRecord>();
  const findPlace = (name: string) => {
    const previous = records().get(name);
    return previous === undefined ? null : findPrevious(name, previous, dependencies.warn);
  };
  return {
    records,
    async save(target, saving) {
      const { name } = target;
      checkNew(target, records().get(name), saving);
      const update = (record: TargetRecord) => () =>
        configFile.update((config) => {
          checkNew(target, config.targets?.get(name), saving);
          return withTarget(config, name, record);
        });
      const { name: _, ...settings } = target;
      if (saving.readUrl === null) {
        return configFile.lockSecrets(async () => {
          const place = findPlace(name);
          await update(compact(settings))();
          if (place !== null) await removeSecret(place, dependencies);
        });
      }
      const store = await openStore(saving.insecureStorage ? "file" : "keychain");
      await store.probe();
      const value = await saving.readUrl();
      await configFile.lockSecrets(() =>
        storeSecret(
          { key: keyOf(target), value, store, previous: findPlace(name) },
          update(compact({ ...settings, store: store.name })),
          { ...dependencies, signal: dependencies.signal() },
        ),
      );
    },
    async loadUrl(name, record) {
      const place = placeOf(name, record);
      const url = place && (await (await openStore(place.store)).load(place.key));
      if (place !== null && url !== null) return url;
      throw configurationError(
        place === null
          ? `the configuration does not say where the URL of target ${name} is`
          : `the URL of target ${name} is no longer in the ${place.store}`,
        { hint: `add it again: calctl targets add ${name} --as KIND --replace` },
      );
    },
    async remove(name) {
      await configFile.lockSecrets(async () => {
        const place = findPlace(name);
        if (place !== null) await removeSecret(place, dependencies);
        await configFile.update((config) => withTarget(config, name, undefined));
      });
    },
  };
}

function checkNew(
  { name }: TargetSettings,
  previous: TargetRecord | undefined,
  { replace }: TargetSaving,
): void {
  if (previous === undefined || replace) return;
  throw usageError(
    `there is already a target ${name} (${previous.as ?? "unknown"})`,
    "choose another name, or --replace it",
  );
}

async function removeSecret(
  { key, store }: SecretPlace,
  { openStore }: TargetStorageDependencies,
): Promise<void> {
  await (await openStore(store)).remove(key);
}

function keyOf({ name, as }: TargetSettings): WebhookUrlKey {
  return { kind: "webhook_url", name, as };
}

/** Null for a target without a URL. @throws CliError configuration for a store that this version does not know */
function placeOf(name: string, { as = "", store }: TargetRecord): SecretPlace | null {
  if (store === undefined) return null;
  if (isStoreName(store)) return { key: keyOf({ name, as }), store };
  throw configurationError(
    `the URL of target ${name} is in "${store}", a store that this version does not know (keychain, file)`,
    { hint: `add it again: calctl targets add ${name} --as KIND --replace` },
  );
}

/** Where the URL of a target is that is replaced or removed. An unknown store is only a warning. */
function findPrevious(name: string, record: TargetRecord, warn: (text: string) => void): SecretPlace | null {
  if (record.store === undefined || isStoreName(record.store)) return placeOf(name, record);
  warn(
    `the URL of target ${name} may still be in "${record.store}", a store that this version does not know`,
  );
  return null;
}

/** @param record undefined to remove it */
function withTarget(config: Config, name: string, record: TargetRecord | undefined): Config {
  const targets = new Map(config.targets);
  if (record === undefined) targets.delete(name);
  else targets.set(name, record);
  return { ...config, targets };
}

/** Without what is undefined. */
function compact(settings: Readonly<Record<string, string | undefined>>): TargetRecord {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
