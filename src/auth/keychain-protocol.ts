/** What goes over the pipes between the program and its keychain helper: one JSON text each way. */

export type KeychainRequest =
  | { readonly action: "get" | "delete" | "probe"; readonly account: string }
  | { readonly action: "set"; readonly account: string; readonly secret: string }
  /** Looks for what is never there: it needs no unlocking, so a service that is alive answers at once. */
  | { readonly action: "ping" };

export type KeychainAnswer =
  | { readonly kind: "value"; readonly value: string | null }
  | { readonly kind: "done"; readonly done: boolean }
  /** The library cannot be loaded. */
  | { readonly kind: "no_library"; readonly reason: string }
  /** The keychain refused. */
  | { readonly kind: "failed"; readonly reason: string };

/** First and only argument that makes the program its own helper. */
export const KEYCHAIN_HELPER_ARGUMENT = "--keychain-helper";

/** Name of the service under which entries are kept. */
export const KEYCHAIN_SERVICE = "calctl";
