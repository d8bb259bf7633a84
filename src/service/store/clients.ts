import type { Queries } from "./open.js";
import type { ClientRow } from "./schema.js";

/** The client of a client id; undefined when there is none. */
export function findClient(db: Queries, clientId: string): Promise<ClientRow | undefined> {
  return db.selectFrom("clients").selectAll().where("client_id", "=", clientId).executeTakeFirst();
}

/** The redirect URIs of a client in the order they were given. @param client `id` of the client */
export async function listRedirectUris(db: Queries, client: string): Promise<string[]> {
  const rows = await db
    .selectFrom("redirect_uris")
    .select("uri")
    .where("client", "=", client)
    .orderBy("position")
    .execute();
  return rows.map(({ uri }) => uri);
}
