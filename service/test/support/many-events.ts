import { eventBody } from "./event-bodies.js";
import { changeCalendar } from "./send.js";
import type { World } from "./world.js";

interface ManyOptions {
  /** Milliseconds between their starts; 0 by default. */
  readonly apart?: number;
  /** The size that the service has stored for each but the first; the actual one by default. */
  readonly bytes?: number;
}

/** Creates an event and copies it in the SQLite database of a world, until there are `count` of it. */
export async function createMany(
  world: Pick<World, "service" | "calendarId" | "token" | "tables">,
  count: number,
  attributes: object,
  { apart = 0, bytes }: ManyOptions = {},
): Promise<void> {
  const { id } = await changeCalendar(world, "POST", "events", eventBody(attributes));
  const columns = Object.keys((await world.tables.query("select * from events limit 1"))[0] ?? {});
  const others: Readonly<Record<string, string>> = {
    id: "id || n",
    start_at: `start_at + n * ${apart}`,
    end_at: `end_at + n * ${apart}`,
    json: "json_set(json, '$.id', id || n)",
    ...(bytes !== undefined && { bytes: String(bytes) }),
  };
  await world.tables.change(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count - 1})
    insert into events select ${columns.map((name) => others[name] ?? name)} from events, numbers where id = '${id}'`,
  );
}
