import type { View } from "../view.js";

export interface ServiceClient {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  /** Only there when the client was just made. */
  readonly client_secret?: string | undefined;
  readonly redirect_uris: readonly string[];
}

/** The OAuth clients of the embedded service. */
export const serviceClientView: View<ServiceClient> = {
  noun: "client",
  keys: {
    id: {},
    name: { minWidth: 8 },
    client_id: {},
    client_secret: {},
    redirect_uris: { minWidth: 8 },
  },
  tsv: ["id", "name", "client_id", "redirect_uris", "client_secret"],
  table: ["name", "client_id", "redirect_uris", "id", "client_secret"],
};

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
};

export interface ServiceUser {
  readonly id: string;
  readonly name: string;
  readonly login: string;
}

/** The users of the embedded service. */
export const serviceUserView: View<ServiceUser> = {
  noun: "user",
  keys: { id: {}, name: { minWidth: 8 }, login: {} },
  tsv: ["id", "name", "login"],
  table: ["name", "login", "id"],
};
