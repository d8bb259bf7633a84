// Fills the profile `local` with events. One is created through the program, then multiplied in its database.
import { spawnSync } from "node:child_process";
import { DatabaseSync } from "@photostructure/sqlite";

const DAYS = 365;

/**
 * Puts `count` events of one hour, evenly spread over the year around now, into a new database.
 * @param database file of the profile `local` under `env`
 */
export function seed(program, { env, database, count }) {
  const args = ["events", "create", "--title", "Seminar", "--start", "2026-01-01T09:00Z", "--duration", "1h"];
  const flags = ["--location", "Room 7", "--description", "Written to be listed.", "--quiet"];
  const { status, stderr } = spawnSync(process.execPath, [program, ...args, ...flags], {
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`calctl events create ended with exit code ${status}: ${stderr}`);
  const db = new DatabaseSync(database);
  try {
    multiply(db, count);
  } finally {
    db.close();
  }
}

/** Copies the one event with other ids and times, whatever else an event is made of. */
function multiply(db, count) {
  const columns = db
    .prepare("pragma table_info(events)")
    .all()
    .map(({ name }) => name);
  const first = Date.now() - (DAYS / 2) * 86_400_000;
  const step = Math.round((DAYS * 86_400_000) / count);
  const copied = {
    id: "lower(hex(randomblob(16)))",
    start_at: "@first + n * @step",
    end_at: "@first + n * @step + 3600000",
  };
  db.prepare(`
    with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < @count - 1)
    insert into events (${columns.join(", ")})
    select ${columns.map((name) => copied[name] ?? name).join(", ")} from events, numbers
  `).run({ first, step, count });
}
