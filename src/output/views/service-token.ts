import type { View } from "../view.js";

export interface ServiceToken {
  readonly id: string;
  readonly user_id: string;
  readonly read_only: boolean;
  readonly created_at: string;
  /** Only there when the token was just made. */
  readonly token?: string | undefined;
}

/** The access tokens of the embedded service. */
export const serviceTokenView: View<ServiceToken> = {
  noun: "token",
  keys: { id: {}, user_id: { header: "User" }, read_only: {}, created_at: { header: "Created" }, token: {} },
  tsv: ["id", "user_id", "read_only", "created_at", "token"],
  layout: "rows",
};
