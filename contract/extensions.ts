/** What a service has beyond the contract. @see docs/extensions.md */

/** The response header that names the extensions which a service has, separated by commas. */
export const EXTENSIONS_HEADER = "calendar-extensions";

/** Those of the embedded service. */
export const EXTENSIONS = ["events", "activities", "changes"] as const;

/** The request header of a create that may be sent again: the same key gives what the first one made. */
export const IDEMPOTENCY_KEY_HEADER = "idempotency-key";
