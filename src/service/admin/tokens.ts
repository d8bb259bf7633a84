import { formatWireDateTime } from "../../contract/date-time.js";
import { CliError, usageError } from "../../errors.js";
import type { AdminOptions, ServiceToken, TokenAdmin } from "../admin.js";
import { createShortId, createToken, hashSecret } from "../secrets.js";
import { creationTime } from "../store/events.js";
import type { TokenRow } from "../store/schema.js";
import type { Queries } from "../store/sqlite/open.js";
import { requireUser } from "./naming.js";

export function createTokenAdmin({ store, now }: AdminOptions): TokenAdmin {
  return {
    create: ({ user, readOnly }) =>
      store.write(async (db) => {
        const { id: userId, name, disabled } = await requireUser(db, user, "--user");
        if (disabled === 1) {
          throw usageError(`--user: "${name}" is disabled: a token of theirs would be refused`);
        }
        return addToken(db, { userId, readOnly, now: now() });
      }),
    list: () =>
      store.read(async (db) => {
        const rows = await db.selectFrom("tokens").selectAll().orderBy("created_at").orderBy("id").execute();
        return rows.map(describe);
      }),
    revoke: (id) =>
      store.write(async (db) => {
        const row = await db.deleteFrom("tokens").where("id", "=", id).returningAll().executeTakeFirst();
        if (row === undefined) {
          throw new CliError("not_found", `there is no token "${id}"`, {
            hint: "ids of tokens: calctl service tokens list",
          });
        }
        return describe(row);
      }),
  };
}

export interface NewToken {
  readonly userId: string;
  readonly readOnly: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `id` of the client that it is for; it ends with the client. */
  readonly client?: string;
}

/** Adds a token; it is told this once, the store keeps its hash. */
export async function addToken(
  db: Queries,
  { userId, readOnly, now, client }: NewToken,
): Promise<ServiceToken & { readonly token: string }> {
  const token = createToken();
  const row: TokenRow = {
    id: createShortId(),
    user_id: userId,
    hash: hashSecret(token),
    read_only: readOnly ? 1 : 0,
    created_at: await creationTime(db, "tokens", now),
    client: client ?? null,
  };
  await db.insertInto("tokens").values(row).execute();
  return { ...describe(row), token };
}

function describe({ id, user_id, read_only, created_at }: TokenRow): ServiceToken {
  return { id, user_id, read_only: read_only === 1, created_at: formatWireDateTime(created_at) };
}
