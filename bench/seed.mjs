// Fills the profile `local` with calendars of events. One event of each is created through the program, then multiplied.
import { spawnSync } from "node:child_process";
import { DatabaseSync } from "@photostructure/sqlite";

const HOUR = 3_600_000;

/** Events begin in this time from now on, so that `events list --days 7` lists all of them. */
const SPAN = 6 * 24 * HOUR - HOUR;

/**
 * Creates a calendar for each of `sizes`, named by its size, with that many events in the coming week.
 * @param run runs the program: `run(args)` gives what it prints
 * @param database file of the profile `local`
 * @returns a token of the user who owns them
 */
export function seed(run, { database, sizes }) {
  const owner = run(["service", "users", "list", "--fields", "id"]).trim();
  for (const size of sizes) {
    run(["service", "calendars", "add", String(size), "--owner", owner]);
    const event = ["--title", "Seminar", "--start", "2026-01-01T09:00Z", "--duration", "1h"];
    const text = ["--location", "Room 7", "--description", "Written to be listed."];
    run(["events", "create", "-c", String(size), ...event, ...text]);
  }
  const db = new DatabaseSync(database);
  try {
    for (const size of sizes) multiply(db, size);
  } finally {
    db.close();
  }
  return run(["service", "tokens", "create", "--user", owner, "--fields", "token"]).trim();
}

/** Runs the program and gives what it prints on stdout. */
export function createRunner(node, program, env) {
  return (args) => {
    const options = { env, encoding: "utf8", maxBuffer: 256 * 1024 * 1024, input: "" };
    const { status, stdout, stderr } = spawnSync(node, [program, ...args], options);
    if (status !== 0) throw new Error(`calctl ${args.join(" ")} ended with exit code ${status}: ${stderr}`);
    return stdout;
  };
}

const ID = "printf('%08x%024x', @size, n)";

/** Copies the one event of a calendar with other ids and times, whatever else an event is made of. */
function multiply(db, size) {
  const calendar = db.prepare("select id from calendars where name = ?").get(String(size)).id;
  const columns = db
    .prepare("pragma table_info(events)")
    .all()
    .map(({ name }) => name);
  const copied = {
    id: ID,
    start_at: "@first + n * @step",
    end_at: "@first + n * @step + 1800000",
  };
  // The first one stays where it is, outside the week.
  db.prepare(`
    with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < @size - 1)
    insert into events (${columns.join(", ")})
    select ${columns.map((name) => copied[name] ?? name).join(", ")}
    from (select * from events where calendar_id = @calendar), numbers
  `).run({ first: Date.now() + HOUR, step: Math.floor(SPAN / size), size, calendar });
}
