import { setFlagsFromString } from "node:v8";

/**
 * The most functions that a WebAssembly module may have, so none has this index. As the only function that V8 may
 * optimize, it keeps V8 from optimizing any: for one command that costs more than it gains, and delays the exit.
 */
const MAX_WASM_FUNCTIONS = 1_000_000;

/** Keeps V8 from optimizing WebAssembly: undici's parser, jq. */
export function disableWasmOptimization(): void {
  setFlagsFromString(`--wasm-tier-up-filter=${MAX_WASM_FUNCTIONS}`);
}

/** Back to the default, since V8 rejects a code cache that was created with other flags. */
export function restoreWasmOptimization(): void {
  setFlagsFromString("--wasm-tier-up-filter=-1");
}
