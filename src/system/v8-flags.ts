import { setFlagsFromString } from "node:v8";

/**
 * The newest major version of Node whose V8 is known to have this flag. V8 reports a flag that it does not know on stderr,
 * and cannot be asked which ones it knows.
 */
const NEWEST_NODE = 26;

/**
 * The most functions that a WebAssembly module may have, so none has this index. As the only function that V8 may
 * optimize, it keeps V8 from optimizing any: for one command that costs more than it gains, and delays the exit.
 */
const MAX_WASM_FUNCTIONS = 1_000_000;

/** Keeps V8 from optimizing WebAssembly: undici's parser, jq. A newer Node optimizes it. */
export function disableWasmOptimization(): void {
  setTierUpFilter(MAX_WASM_FUNCTIONS);
}

/** Back to the default, since V8 rejects a code cache that was created with other flags. */
export function restoreWasmOptimization(): void {
  setTierUpFilter(-1);
}

/** @param index of the only function that V8 may optimize; -1 for any function */
function setTierUpFilter(index: number): void {
  if (Number.parseInt(process.versions.node, 10) <= NEWEST_NODE)
    setFlagsFromString(`--wasm-tier-up-filter=${index}`);
}
