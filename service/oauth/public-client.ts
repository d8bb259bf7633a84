import { PUBLIC_CLIENT_ID } from "../../contract/oauth.js";
import { findRegisteredClient } from "../store/clients.js";
import type { ClientRow } from "../store/schema.js";
import type { Transaction } from "../store/store.js";
import type { OAuthContext } from "./context.js";

/**
 * This program as a client of every service, without a registration. It has no secret, since it could not keep one, so
 * its requests are proven by PKCE. Its row is written with its first code, for the references of codes and tokens.
 * @see RFC 8252 §8.4, §8.5
 */
const PUBLIC_CLIENT: ClientRow = {
  id: PUBLIC_CLIENT_ID,
  name: "calctl",
  client_id: PUBLIC_CLIENT_ID,
  secret_hash: "",
  created_at: 0,
};

/** With any port. */
export const PUBLIC_REDIRECT_URIS = ["http://127.0.0.1/callback", "http://[::1]/callback"] as const;

/** Whether a client has no secret. */
export function isPublic({ secret_hash }: ClientRow): boolean {
  return secret_hash === "";
}

/** The client with a client id, registered or, where the service has it, the public one; undefined if there is none. */
export async function findClient(
  db: Transaction,
  clientId: string,
  { publicClient }: Pick<OAuthContext, "publicClient">,
): Promise<ClientRow | undefined> {
  const registered = await findRegisteredClient(db, clientId);
  return registered ?? (publicClient && clientId === PUBLIC_CLIENT_ID ? PUBLIC_CLIENT : undefined);
}
