import type { SchemaModule } from "kysely";

/** Browser sessions, sign-in attempts and authorization codes; the client that a token was issued to. */
export async function createSignIn(schema: SchemaModule): Promise<void> {
  await schema
    .createTable("sessions")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("sessions_by_expiry").on("sessions").column("expires_at").execute();
  await schema
    .createTable("sign_in_attempts")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("window_start", "bigint", (column) => column.notNull())
    .addColumn("attempts", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createIndex("sign_in_attempts_by_start")
    .on("sign_in_attempts")
    .column("window_start")
    .execute();
  await schema
    .createTable("authorization_codes")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("client", "text", (column) => column.notNull().references("clients.id").onDelete("cascade"))
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("redirect_uri", "text", (column) => column.notNull())
    .addColumn("code_challenge", "text")
    .addColumn("code_challenge_method", "text")
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("used", "integer", (column) => column.notNull())
    // Not a reference: the token may be revoked before the code is used again.
    .addColumn("token_id", "text")
    .execute();
  await schema
    .createIndex("authorization_codes_by_expiry")
    .on("authorization_codes")
    .column("expires_at")
    .execute();
  await schema
    .alterTable("tokens")
    .addColumn("client", "text", (column) => column.references("clients.id").onDelete("cascade"))
    .execute();
  await schema.createIndex("tokens_by_client").on("tokens").column("client").execute();
}
