import { eventBody } from "./event-bodies.js";
import { changeCalendar } from "./send.js";
import type { World } from "./world.js";

interface ManyOptions {
  /** Milliseconds between their starts; 0 by default. */
  readonly apart?: number;
  /** What the description of each but the first takes in responses, as control characters; as the first one's by default. */
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
    ...(bytes !== undefined && { description: `replace(hex(zeroblob(${bytes / 12})), '0', char(1))` }),
  };
  await world.tables.change(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count - 1})
    insert into events select ${columns.map((name) => others[name] ?? name)} from events, numbers where id = '${id}'`,
  );
}
