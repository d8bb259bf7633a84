import { CliError, usageError } from "../../errors.js";
import type { AdminOptions, ClientAdmin, ServiceClient } from "../admin.js";
import { isLoopback } from "../loopback.js";
import { createClientSecret, createShortId, hashSecret } from "../secrets.js";
import { listRedirectUris } from "../store/clients.js";
import { creationTime } from "../store/events.js";
import type { ClientRow } from "../store/schema.js";
import type { Queries } from "../store/sqlite/open.js";
import { checkName } from "./naming.js";

export function createClientAdmin({ store, now }: AdminOptions): ClientAdmin {
  return {
    async add({ name, redirectUris }) {
      checkName(name);
      if (redirectUris.length === 0) throw usageError("a client needs a redirect URI", "give --redirect-uri");
      for (const uri of redirectUris) checkRedirectUri(uri);
      return store.write((db) => addClient(db, { name, redirectUris, now: now() }));
    },
    list: () =>
      store.read(async (db) => {
        const rows = await db.selectFrom("clients").selectAll().orderBy("created_at").orderBy("id").execute();
        return Promise.all(rows.map((row) => describe(db, row)));
      }),
    remove: (id) =>
      store.write(async (db) => {
        const row = await db.selectFrom("clients").selectAll().where("id", "=", id).executeTakeFirst();
        if (row === undefined) {
          throw new CliError("not_found", `there is no client "${id}"`, {
            hint: "ids of clients: calctl service clients list",
          });
        }
        const client = await describe(db, row);
        await db.deleteFrom("clients").where("id", "=", id).execute();
        return client;
      }),
  };
}

export interface NewClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Adds a client; its secret is told this once, the store keeps its hash. */
export async function addClient(
  db: Queries,
  { name, redirectUris, now }: NewClient,
): Promise<ServiceClient & { readonly client_secret: string }> {
  const client_secret = createClientSecret();
  const [id, client_id] = [createShortId(), createShortId()];
  const created_at = await creationTime(db, "clients", now);
  await db
    .insertInto("clients")
    .values({ id, name, client_id, secret_hash: hashSecret(client_secret), created_at })
    .execute();
  await db
    .insertInto("redirect_uris")
    .values(redirectUris.map((uri, position) => ({ client: id, position, uri })))
    .execute();
  return { id, name, client_id, redirect_uris: redirectUris, client_secret };
}

async function describe(db: Queries, { id, name, client_id }: ClientRow): Promise<ServiceClient> {
  return { id, name, client_id, redirect_uris: await listRedirectUris(db, id) };
}

/**
 * @throws CliError usage when it is no absolute URI, has a fragment, or is plain http beyond this machine
 * @see RFC 6749 §3.1.2, RFC 8252 §7
 */
function checkRedirectUri(uri: string): void {
  const refuse = (problem: string) =>
    usageError(
      `the redirect URI "${uri}" ${problem}`,
      "give one such as http://127.0.0.1/callback or https://…",
    );
  // What a URL parser would mend on its way, a browser's header would not.
  if (!/^[\x21-\x7e]*$/.test(uri)) throw refuse("has characters that a URI must percent-encode");
  if (!URL.canParse(uri)) throw refuse("is not absolute");
  if (uri.includes("#")) throw refuse("has a fragment");
  const { protocol, hostname } = new URL(uri);
  if (protocol === "http:" && !isLoopback(hostname)) throw refuse("is not https");
  // Private-use schemes are domain names backwards; the rest, javascript: and data: among them, runs in a browser.
  if (!["http:", "https:"].includes(protocol) && !protocol.includes(".")) {
    throw refuse("has a scheme that no app can own");
  }
}
