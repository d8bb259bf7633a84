import type { View } from "../view.js";

/** Keys of a profile with their values; null where unset. */
export type ConfigValues = Readonly<Record<string, string | null>>;

/** The view of `config list`, for the given keys in their order. */
export function createConfigView(keys: readonly string[]): View<ConfigValues> {
  return {
    noun: "config",
    // The keys are what `config set` takes: shown as they are typed.
    keys: Object.fromEntries(keys.map((key) => [key, { header: key }])),
    tsv: keys,
    layout: "pairs",
  };
}
