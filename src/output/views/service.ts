import type { ServiceClient, ServiceToken, ServiceUser } from "../../service/admin/admin.js";
import type { View } from "../view.js";

/** The OAuth clients of the embedded service. */
export const serviceClientView: View<ServiceClient> = {
  noun: "client",
  keys: {
    id: {},
    name: { minWidth: 8 },
    client_id: {},
    client_secret: { optional: true },
    redirect_uris: { minWidth: 8 },
  },
  tsv: ["id", "name", "client_id", "redirect_uris", "client_secret"],
  table: ["name", "client_id", "redirect_uris", "id", "client_secret"],
};

/** The access tokens of the embedded service. */
export const serviceTokenView: View<ServiceToken> = {
  noun: "token",
  keys: {
    id: {},
    user_id: { header: "User" },
    read_only: {},
    created_at: { header: "Created" },
    token: { optional: true },
  },
  tsv: ["id", "user_id", "read_only", "created_at", "token"],
};

/** The users of the embedded service. */
export const serviceUserView: View<ServiceUser> = {
  noun: "user",
  keys: { id: {}, name: { minWidth: 8 }, login: {} },
  tsv: ["id", "name", "login"],
  table: ["name", "login", "id"],
};
