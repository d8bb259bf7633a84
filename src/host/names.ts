import { DAY_MS } from "../../contract/date-time.js";
import type { Api } from "../api/client.js";
import type { Token } from "../auth/sources/environment-secret.js";
import { type CacheFile, type CacheFileOptions, cacheOwnerOf, createCacheFile } from "../cache/cache-file.js";
import { createNameCache, type NameCache } from "../cache/name-cache.js";
import { createNames, FRESHNESS_LIFETIME } from "../cache/names.js";
import type { ServiceSelection, Settings } from "../config/settings.js";
import type { Machine } from "../machine.js";
import { once } from "./lazy.js";

export interface ComposeNamesOptions {
  readonly settings: () => Settings;
  /** `--refresh` */
  readonly refresh: boolean;
  readonly token: () => Promise<Token | null>;
  readonly api: () => Promise<Api>;
}

/** An unchanged list is stored again when it is older than this (ms), so that it stays fresh and few commands write. */
const REWRITE_AGE = FRESHNESS_LIFETIME / 5;

/**
 * The names of the service, and the client that stores them. The embedded service is always asked, since that takes
 * no longer; what it says is stored for completion.
 */
export function composeNames(parts: Machine, { settings, refresh, token, api }: ComposeNamesOptions) {
  const isLocal = () => settings().service.kind === "local";
  const cache = once(async (): Promise<NameCache> => {
    const nameCache = createNameCache({
      file: openCacheFile("names", parts, settings),
      now: parts.clock.now,
      account: isLocal() ? "" : await accountOf(settings(), (await token())?.value ?? ""),
      rewriteAge: isLocal() ? DAY_MS : REWRITE_AGE,
    });
    parts.resources.add(() => nameCache.save());
    return nameCache;
  });
  return createNames({ api, cache, mayReuse: () => !refresh && !isLocal() });
}

async function accountOf(settings: Settings, token: string): Promise<string> {
  // Loaded for a client of a service over the network alone.
  const { hashAccount } = await import("../api/sending/account-hash.js");
  return hashAccount({ token, origin: cacheOwnerOf(settings).service });
}

/** A file of the cache for the profile and service in use. */
export function openCacheFile(
  kind: CacheFileOptions["kind"],
  { overrides, cacheDirectory: directory, userId, clock }: Machine,
  selection: () => Pick<ServiceSelection, "profile" | "service">,
): CacheFile {
  const options = { kind, directory, userId, owner: () => cacheOwnerOf(selection()), now: clock.now };
  return overrides.cacheFile?.(kind) ?? createCacheFile(options);
}
