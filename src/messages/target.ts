import type { Payload } from "./payload.js";
import type { TargetKind } from "./target-kinds.js";

/** Where messages go. */
export interface Target {
  readonly kind: TargetKind;
  /** As messages for the user name it; never a secret. */
  readonly name: string;
  /** The same for the same target in every run, and not a secret: for keys of the ledger. */
  readonly id: string;
  /** Of telegram. */
  readonly chat?: string;
  /** The addresses of mail, as its header `To` has them. */
  readonly to?: string;
  /**
   * Resolves once the message was accepted. A failure says whether it may have been sent all the same: outcome_unknown
   * (9), and interrupted with `mayHaveSucceeded`; after any other it certainly was not.
   * @throws CliError forbidden, rate_limited, unavailable, outcome_unknown, configuration, rejected, interrupted
   */
  deliver(payload: Payload): Promise<void>;
  /**
   * Checks what can be checked without sending: that something listens, or that there is a mail program. Nothing with
   * `--dry-run`.
   * @throws CliError unavailable, configuration
   */
  check(): Promise<void>;
}
