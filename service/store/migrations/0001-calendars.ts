import type { SchemaModule } from "kysely";

/** Users, calendars and their contents; tokens and clients; rate windows. */
export async function createCalendars(schema: SchemaModule): Promise<void> {
  await createPeople(schema);
  await createEvents(schema);
  await createCredentials(schema);
}

async function createPeople(schema: SchemaModule): Promise<void> {
  await schema
    .createTable("users")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("login", "text", (column) => column.notNull())
    .addColumn("login_key", "text", (column) => column.notNull().unique())
    .addColumn("password_hash", "text")
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("image_url", "text", (column) => column.notNull())
    .addColumn("disabled", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("calendars")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("color", "text", (column) => column.notNull())
    .addColumn("image_url", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("members")
    .addColumn("calendar_id", "text", (column) => column.notNull().references("calendars.id"))
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("rank", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("members_key", ["calendar_id", "user_id"])
    .execute();
  await schema.createIndex("members_by_user").on("members").columns(["user_id", "position"]).execute();
  await schema
    .createTable("labels")
    .addColumn("calendar_id", "text", (column) => column.notNull().references("calendars.id"))
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("color", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("labels_key", ["calendar_id", "number"])
    .execute();
}

async function createEvents(schema: SchemaModule): Promise<void> {
  await schema
    .createTable("events")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("calendar_id", "text", (column) => column.notNull().references("calendars.id"))
    .addColumn("category", "text", (column) => column.notNull())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("all_day", "integer", (column) => column.notNull())
    .addColumn("start_at", "bigint")
    .addColumn("start_timezone", "text")
    .addColumn("end_at", "bigint")
    .addColumn("end_timezone", "text")
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("location", "text", (column) => column.notNull())
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("label_number", "integer", (column) => column.notNull())
    .addColumn("creator_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addForeignKeyConstraint("events_label", ["calendar_id", "label_number"], "labels", [
      "calendar_id",
      "number",
    ])
    .execute();
  // The end comes first: most events of an old calendar are over, so an upcoming window excludes them.
  await schema
    .createIndex("events_by_time")
    .on("events")
    .columns(["calendar_id", "end_at", "start_at"])
    .execute();
  await schema
    .createTable("attendees")
    .addColumn("event_id", "text", (column) => column.notNull().references("events.id").onDelete("cascade"))
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("position", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("attendees_key", ["event_id", "user_id"])
    .execute();
  await schema
    .createTable("activities")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("event_id", "text", (column) => column.notNull().references("events.id").onDelete("cascade"))
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("content", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("activities_by_event").on("activities").column("event_id").execute();
}

async function createCredentials(schema: SchemaModule): Promise<void> {
  await schema
    .createTable("tokens")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("read_only", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("clients")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("client_id", "text", (column) => column.notNull().unique())
    .addColumn("secret_hash", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("redirect_uris")
    .addColumn("client", "text", (column) => column.notNull().references("clients.id").onDelete("cascade"))
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("uri", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("redirect_uris_key", ["client", "position"])
    .execute();
  await schema
    .createTable("rate_windows")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("window_start", "bigint", (column) => column.notNull())
    .addColumn("requests", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("rate_windows_by_start").on("rate_windows").column("window_start").execute();
  await schema
    .createTable("settings")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("value", "text", (column) => column.notNull())
    .execute();
}
