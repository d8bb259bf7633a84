import type { Config } from "../config/config-file.js";
import { findUnknownStore, readTokenRecord, type TokenRecord } from "../config/token-record.js";

/**
 * Where the token is that a profile had until now, to be taken away. Null where there was none, and, with a warning,
 * where it cannot be reached: a store that this version does not know must not lock the profile for good.
 */
export function findEarlierToken(
  config: Config,
  profile: string,
  warn: (text: string) => void,
): TokenRecord | null {
  const unknown = findUnknownStore(config, profile);
  if (unknown === null) return readTokenRecord(config, profile);
  warn(`a token of profile ${profile} may still be in "${unknown}", a store that this version does not know`);
  return null;
}
