// Inserts rows like those of events, each in a transaction of its own, and prints how many there were in a second.
import { DatabaseSync } from "@photostructure/sqlite";

const COUNT = 400;

const db = new DatabaseSync(process.argv[2]);
db.exec("pragma journal_mode = wal; pragma synchronous = full");
db.exec(
  "create table if not exists events (id text primary key, calendar_id text, title text, start_at, end_at, json text)",
);
const insert = db.prepare("insert into events values (lower(hex(randomblob(16))), ?, ?, ?, ?, ?)");
const json = JSON.stringify({ type: "event", attributes: { title: "Seminar", text: "x".repeat(500) } });
const start = performance.now();
for (let count = 0; count < COUNT; count += 1) insert.run("bench", "Seminar", count, count + 1, json);
console.log((COUNT * 1000) / (performance.now() - start));
db.close();
