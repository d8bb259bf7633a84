/** What goes over the pipes between the program and its keychain helper: one JSON text each way. */

export type KeychainRequest =
  /** Reads an entry; where there is none, it makes sure that the keychain is not merely locked. */
  | { readonly action: "get"; readonly account: string }
  /** Keeps an entry and reads it back. */
  | { readonly action: "set"; readonly account: string; readonly secret: string }
  /** Removes an entry and looks whether it is gone. */
  | { readonly action: "remove"; readonly account: string }
  /** Writes and removes an entry of its own. */
  | { readonly action: "probe" }
  /** Looks for what is never there: it needs no unlocking, so a service that is alive answers at once. */
  | { readonly action: "ping" };

export type KeychainAnswer =
  /** Of `get` and `set`: what is there, null for nothing. */
  | { readonly kind: "value"; readonly value: string | null }
  /** Of `remove`: whether there was an entry, and whether there is none now. */
  | { readonly kind: "removed"; readonly existed: boolean; readonly gone: boolean }
  /** Of `probe` and `ping`. */
  | { readonly kind: "done" }
  /** The library cannot be loaded. */
  | { readonly kind: "no_library"; readonly reason: string }
  /** The keychain refused. */
  | { readonly kind: "failed"; readonly reason: string };

/** First and only argument that makes the program its own helper. */
export const KEYCHAIN_HELPER_ARGUMENT = "--keychain-helper";

/** Name of the service under which entries are kept. */
export const KEYCHAIN_SERVICE = "calctl";

/** Begins the line of the answer: what NODE_OPTIONS loads into every Node may print as well. */
export const ANSWER_MARK = "calctl-keychain-answer ";
