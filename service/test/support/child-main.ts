import { awaitStart } from "../../../test/support/child-start.js";
import { openService } from "../../service.js";
import { eventBody, SCHEDULE } from "./event-bodies.js";

/** One of several processes that use one database. Prints its result as JSON. */
const [database = "", events = "0", keyed] = process.argv.slice(2);

await awaitStart();

const service = await openService({
  database,
  now: Date.now,
  rateLimit: { limit: 10_000, windowSeconds: 3_600 },
});
const { userId } = await service.admin.ensureLocalUser({ name: "local" });
const origin = { kind: "local", userId } as const;
const send = async (method: string, target: string, body?: object, headers: object = {}) => {
  const response = await service.handle(
    {
      method,
      target,
      headers: { "content-type": "application/json", ...headers },
      body: new TextEncoder().encode(JSON.stringify(body)),
    },
    origin,
  );
  return { status: response.status, json: JSON.parse(new TextDecoder().decode(response.body)) };
};
const calendars = await send("GET", "/calendars");
const statuses: number[] = [];
for (let count = 0; count < Number(events); count += 1) {
  const { status } = await send(
    "POST",
    `/calendars/${calendars.json.data[0].id}/events`,
    eventBody(SCHEDULE),
    keyed === undefined ? {} : { "idempotency-key": `event ${count}` },
  );
  statuses.push(status);
}
await service.close();
process.stdout.write(
  `${JSON.stringify({ userId, created: service.created !== null, calendars: calendars.json.data.length, statuses })}\n`,
);
