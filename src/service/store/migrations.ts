import type { SchemaModule } from "kysely";
import { createCalendars } from "./migrations/0001-calendars.js";
import { createSignIn } from "./migrations/0002-sign-in.js";

/** Steps of the schema in order. A published step is never changed, a new one is added behind it. */
export const MIGRATIONS: readonly ((schema: SchemaModule) => Promise<void>)[] = [
  createCalendars,
  createSignIn,
];
