import { Agent, request as httpsRequest } from "node:https";
import * as v from "valibot";
import { expect, onTestFinished, test } from "vitest";
import { REVISION_HEADER } from "../../../../contract/routes.js";
import { freePort } from "../../../../test/api/network/peers.js";
import { readPage } from "../../../../test/support/docs-pages.js";
import { createInstallation, type Running } from "../../../../test/support/spawned.js";
import { describeWithSystem } from "../../../../test/support/system.js";
import { startExample } from "../../../../test/system/support/nginx.js";
import { openService } from "../../../service.js";
import { type Certificate, createCertificate } from "../../support/certificate.js";
import { startCuttingProxy } from "../../support/cutting-proxy.js";
import { eventBody } from "../../support/event-bodies.js";
import { startPgbouncer } from "../../support/pgbouncer.js";
import { querySchema } from "../../support/postgres.js";
import { startPostgres } from "../../support/postgres-server.js";

/**
 * Three nodes behind nginx as examples/scaling sets them up, with clients that write while nodes are killed, PostgreSQL
 * restarts and connections are cut. `npm run soak` takes a minute for it.
 */

const CLIENTS = 20;
const CALENDARS = 4;

/** How many writes must be confirmed after each fault, so that what follows it is known to work. */
const WRITES_BETWEEN = 60;

/** How long they may take on a machine that has much else to do (ms). */
const TIME_TO_GO_ON = 120_000;

/** How long faults go on at least (ms); each happens once in any case. */
const DURATION = Number(process.env["SOAK_HISTORY_SECONDS"] ?? 0) * 1_000;

/** What a client knows of a write: a refused one was not done, of an unknown one nothing is known. */
type Outcome = "confirmed" | "refused" | "unknown";

interface Answer {
  readonly outcome: Outcome;
  readonly status: number | null;
  /** Of a response in JSON. */
  readonly json: unknown;
  /** Of the calendar, where the response has it. */
  readonly revision: number | null;
}

type Send = (method: string, path: string, body?: object) => Promise<Answer>;

/** A client over HTTPS with a token. */
function createClient(port: number, token: string, { cert, subject }: Certificate): Send {
  const agent = new Agent({ keepAlive: true, ca: cert, servername: subject });
  onTestFinished(() => agent.destroy());
  return (method, path, body) =>
    new Promise((resolve) => {
      const lost = () => resolve({ outcome: "unknown", status: null, json: null, revision: null });
      const headers = {
        host: subject,
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      };
      const request = httpsRequest({
        agent,
        host: "127.0.0.1",
        port,
        method,
        path,
        headers,
        timeout: 60_000,
      });
      request.on("timeout", () => request.destroy());
      request.on("error", lost);
      request.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", lost);
        response.on("end", () => {
          const status = response.statusCode ?? 0;
          const isOurs = response.headers["x-request-id"] !== undefined;
          const json: unknown = isOurs && text !== "" ? JSON.parse(text) : null;
          const revision = Number(response.headers[REVISION_HEADER] ?? Number.NaN);
          resolve({
            ...{ outcome: outcomeOf(status, isOurs), status, json },
            revision: Number.isNaN(revision) ? null : revision,
          });
        });
      });
      request.end(body && JSON.stringify(body));
    });
}

/** @param isOurs whether a node answered, and not nginx */
function outcomeOf(status: number, isOurs: boolean): Outcome {
  if (status < 300) return "confirmed";
  return isOurs && (status < 500 || status === 503) ? "refused" : "unknown";
}

/** What was written to an event, by the one client that writes it. */
interface Versions {
  readonly calendar: string;
  /** One after the other, null for a deletion; without those that were refused. */
  readonly titles: (string | null)[];
  /** The index of the last one that was confirmed: the event has this one or a later one. */
  confirmed: number;
}

function isPossible({ titles, confirmed }: Versions, title: string | null = null): boolean {
  return titles.slice(confirmed).includes(title);
}

/** What the clients did and were told. */
class History {
  /** Those whose creation was confirmed. */
  readonly events = new Map<string, Versions>();
  /** Titles of creates, by outcome. */
  readonly titles: Record<Outcome, string[]> = { confirmed: [], refused: [], unknown: [] };
  confirmed = 0;
  readonly repeatedIds: string[] = [];
}

interface ClientOptions {
  readonly send: Send;
  readonly name: string;
  readonly calendar: string;
  readonly history: History;
  readonly hasEnded: () => boolean;
}

/** Creates, changes and deletes events of its own, and reads one back after a write, until it has to end. */
async function write({ send, name, calendar, history, hasEnded }: ClientOptions): Promise<void> {
  const path = `/calendars/${calendar}/events`;
  const own: string[] = [];
  for (let turn = 0; !hasEnded(); turn += 1) {
    const id = turn % 4 === 3 ? own[turn % own.length] : undefined;
    const title = `${name} ${turn}`;
    const answer =
      id === undefined
        ? recordCreate(history, { title, own, calendar, answer: await send("POST", path, bodyOf(title)) })
        : await changeEvent({ send, path: `${path}/${id}`, history, own }, id, turn % 8 === 7 ? null : title);
    if (answer.outcome !== "confirmed") continue;
    history.confirmed += 1;
    for (const last of own.slice(-1)) await readBack(send, `${path}/${last}`);
  }
}

interface Changing extends Pick<ClientOptions, "send" | "history"> {
  readonly path: string;
  readonly own: string[];
}

/** @param title null to delete it */
async function changeEvent(
  { send, path, history, own }: Changing,
  id: string,
  title: string | null,
): Promise<Answer> {
  // Others may see it before this client is told.
  history.events.get(id)?.titles.push(title);
  const answer = await (title === null ? send("DELETE", path) : send("PUT", path, bodyOf(title)));
  recordChange(history, { id, title, answer, own });
  return answer;
}

function bodyOf(title: string): object {
  return eventBody({ title, category: "keep" });
}

const CREATED = v.object({ data: v.object({ id: v.string() }) });

interface Create {
  readonly title: string;
  readonly calendar: string;
  readonly answer: Answer;
  readonly own: string[];
}

function recordCreate(history: History, { title, calendar, answer, own }: Create): Answer {
  history.titles[answer.outcome].push(title);
  if (answer.outcome !== "confirmed") return answer;
  const { id } = v.parse(CREATED, answer.json).data;
  if (history.events.has(id)) history.repeatedIds.push(id);
  history.events.set(id, { calendar, titles: [title], confirmed: 0 });
  own.push(id);
  return answer;
}

interface Change {
  readonly id: string;
  /** Null: a deletion. */
  readonly title: string | null;
  readonly answer: Answer;
  readonly own: string[];
}

/** An event that is gone is left alone from now on, and one to which something unknown may still happen. */
function recordChange({ events }: History, { id, title, answer, own }: Change): void {
  const versions = events.get(id);
  if (versions === undefined) throw new Error(`${id} was not created`);
  // nginx repeats changes on another node: a deletion may be found done, and a 503 does not say what the first node did.
  const outcome = answer.status === 503 ? "unknown" : answer.outcome;
  const isDone = answer.outcome === "confirmed" || (title === null && answer.status === 404);
  if (isDone) versions.confirmed = versions.titles.length - 1;
  else if (outcome === "refused") versions.titles.pop();
  if (outcome === "unknown" || (isDone && title === null)) own.splice(own.indexOf(id), 1);
}

/** What one node confirmed, every node knows. */
async function readBack(send: Send, path: string): Promise<void> {
  const { status, outcome } = await send("GET", path);
  if (outcome === "confirmed" || outcome === "unknown" || status === 503 || status === 429) return;
  throw new Error(`an event that was confirmed is not there: ${status} ${path}`);
}

const CHANGES = v.object({
  data: v.array(v.object({ id: v.string(), attributes: v.object({ title: v.string() }) })),
  links: v.object({ next: v.nullable(v.string()) }),
  meta: v.object({ revision: v.number(), deleted: v.array(v.string()) }),
});

/** The titles of a calendar's events as a client learns them that asks only for what has changed since it last asked. */
function followChanges(send: Send, calendar: string, history: History) {
  const titles = new Map<string, string>();
  const of = `/calendars/${calendar}`;
  let since = 1;
  /** The last revision that any node gave. */
  let seen = 1;

  const see = (revision: number): void => {
    if (revision < seen) throw new Error(`revision ${revision} was given after ${seen}`);
    seen = revision;
  };

  /** @returns whether there is more; null when it was not answered */
  const readPage = async (): Promise<boolean | null> => {
    const { outcome, status, json } = await send("GET", `${of}/changes?since=${since}`);
    // 410 for a revision that a node would not know yet.
    if (status !== null && status >= 400 && status < 429) throw new Error(`changes are answered ${status}`);
    if (outcome !== "confirmed") return null;
    const { data, links, meta } = v.parse(CHANGES, json);
    for (const { id, attributes } of data) titles.set(id, attributes.title);
    for (const id of meta.deleted) titles.delete(id);
    since = meta.revision;
    if (links.next !== null) return true;
    see(since);
    return false;
  };

  /**
   * Reads what has changed, and the revision of a list.
   * @returns whether it was told all of it
   * @throws Error when a revision is before one it has seen, or a write is missing that was confirmed before
   */
  const poll = async (): Promise<boolean> => {
    // A copy of what is confirmed now, with the titles that are written meanwhile.
    const before = [...history.events].map(([id, versions]) => ({ id, ...versions }));
    let hasMore = await readPage();
    while (hasMore === true) hasMore = await readPage();
    if (hasMore === null) return false;
    const ofCalendar = before.filter((versions) => versions.calendar === calendar);
    const missed = ofCalendar.filter((versions) => !isPossible(versions, titles.get(versions.id)));
    if (missed.length > 0) throw new Error(`revision ${since} came without ${JSON.stringify(missed)}`);
    const { revision } = await send("GET", `${of}/events?limit=1`);
    if (revision !== null) see(revision);
    return true;
  };
  return { titles, poll, revision: () => seen };
}

/** A node that can be killed and started again. */
function createNode(port: number, database: string, flags: readonly string[]) {
  const { startWith } = createInstallation();
  const argv = ["service", "start", "--port", String(port), "--rate-limit", "off", ...flags];
  let running: Running | undefined;
  return {
    async start() {
      // As systemd does with Restart=on-failure, while the database is away.
      for (;;) {
        running = startWith({ env: { CALCTL_SERVICE_DB: database } }, ...argv);
        const ended = running.ended.then(({ exitCode }) => exitCode);
        const exitCode = await Promise.race([
          running.stderrWith("listening on").then(
            () => null,
            () => ended,
          ),
          ended,
        ]);
        if (exitCode === null) return;
        const { stderr } = await running.ended;
        expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining("database") });
      }
    },
    async kill() {
      running?.child.kill("SIGKILL");
      await running?.ended;
    },
  };
}

/** The flags of the unit besides its port. */
function flagsOfUnit(): readonly string[] {
  const unit = readPage("examples/scaling/calctl@.service").replaceAll("\\\n", "");
  const [, flags = ""] = /^ExecStart=calctl service start --port %i (.*)$/m.exec(unit) ?? [];
  return flags.trim().split(/\s+/);
}

interface Writer {
  readonly name: string;
  readonly token: string;
  /** Id of the one that it writes to. */
  readonly calendar: string;
}

/** Adds users with tokens, each a member of one of some calendars. */
async function addWriters(database: string): Promise<readonly Writer[]> {
  const service = await openService({ database, now: Date.now, rateLimit: null });
  const { users, calendars, members, tokens } = service.admin;
  const { id: owner } = await users.add({ name: "owner" });
  const ids: string[] = [];
  for (let added = 0; added < CALENDARS; added += 1) {
    ids.push((await calendars.add({ name: `calendar ${added}`, owner })).id);
  }
  const writers: Writer[] = [];
  for (let added = 0; added < CLIENTS; added += 1) {
    const calendar = ids[added % ids.length] ?? "";
    const { id, name } = await users.add({ name: `client ${added}` });
    await members.add(id, calendar);
    writers.push({ name, calendar, token: (await tokens.create({ user: id, readOnly: false })).token });
  }
  await service.close();
  return writers;
}

async function revisionsOf(database: string): Promise<ReadonlyMap<unknown, number>> {
  const rows = await querySchema(database, "select id, revision from calendars");
  return new Map(rows.map(({ id, revision }) => [id, Number(revision)]));
}

function sumOf(revisions: ReadonlyMap<unknown, number>): number {
  return [...revisions.values()].reduce((sum, revision) => sum + revision, 0);
}

/** @param stored the titles of the events that are there, by id */
function expectHistory({ events, titles, repeatedIds }: History, stored: ReadonlyMap<string, string>): void {
  const wrong = [...events].filter(([id, versions]) => !isPossible(versions, stored.get(id)));
  expect(wrong).toEqual([]);
  expect(repeatedIds).toEqual([]);
  const all = [...stored.values()];
  expect(all.length).toBe(new Set(all).size);
  const refused = new Set(titles.refused);
  expect(all.filter((title) => refused.has(title))).toEqual([]);
  // An event that no client was told about is one of which none knows.
  const unknown = new Set(titles.unknown);
  expect([...stored].filter(([id, title]) => !events.has(id) && !unknown.has(title))).toEqual([]);
}

describeWithSystem("nginx", "with nginx,", () => {
  describeWithSystem("pgbouncer", "pgbouncer and three nodes,", () => {
    test("what was confirmed is there once, and nothing that was refused", { timeout: 300_000 }, async () => {
      const postgres = await startPostgres();
      onTestFinished(() => postgres.close());
      const pgbouncer = await startPgbouncer(
        { host: "127.0.0.1", port: postgres.port },
        readPage("examples/scaling/pgbouncer.ini").split("[pgbouncer]\n")[1]?.split("\n") ?? [],
      );
      onTestFinished(() => pgbouncer.close());
      const proxy = await startCuttingProxy(postgres.port);
      const direct = postgres.url();
      const writers = await addWriters(direct);
      const before = await revisionsOf(direct);

      const ports = [await freePort(), await freePort(), await freePort()] as const;
      const cutUrl = direct.replace(String(postgres.port), String(proxy.port));
      const flags = flagsOfUnit();
      const nodes = [
        createNode(ports[0], pgbouncer.url, flags),
        createNode(ports[1], pgbouncer.url, flags),
        createNode(ports[2], cutUrl, flags),
      ] as const;
      await Promise.all(nodes.map((node) => node.start()));
      const certificate = createCertificate({ subject: "calendar.example" });
      const places = {
        "127.0.0.1:8791": `127.0.0.1:${ports[0]}`,
        "127.0.0.1:8792": `127.0.0.1:${ports[1]}`,
        "127.0.0.1:8793": `127.0.0.1:${ports[2]}`,
      };
      const port = await startExample("examples/scaling/nginx.conf", { certificate, places });

      const history = new History();
      let hasEnded = false;
      const clients = writers.map((writer) => ({
        ...writer,
        send: createClient(port, writer.token, certificate),
      }));
      const allClients = Promise.all(
        clients.map((client) => write({ ...client, history, hasEnded: () => hasEnded })),
      );
      const [reader] = clients;
      if (reader === undefined) throw new Error("there are no clients");
      const follower = followChanges(reader.send, reader.calendar, history);
      const pollUntil = async (confirmed: number) => {
        const end = Date.now() + TIME_TO_GO_ON;
        while (history.confirmed < confirmed && !hasEnded) {
          if (Date.now() > end) throw new Error("the writes do not go on");
          await follower.poll();
        }
      };
      const goOn = () => Promise.race([allClients, pollUntil(history.confirmed + WRITES_BETWEEN)]);
      const faults = [
        () => nodes[0].kill(),
        () => nodes[0].start(),
        () => postgres.halt("fast").then(postgres.start),
        async () => proxy.cut(),
        () =>
          nodes[1]
            .kill()
            .then(() => postgres.halt("immediate"))
            .then(postgres.start)
            .then(nodes[1].start),
        async () => proxy.cut(),
        () => nodes[2].kill().then(nodes[2].start),
      ];
      try {
        await goOn();
        const end = Date.now() + DURATION;
        do {
          for (const fault of faults) {
            await fault();
            await goOn();
          }
        } while (Date.now() < end);
      } finally {
        hasEnded = true;
        await allClients;
      }

      const rows = await querySchema(direct, "select id, calendar_id, title from events");
      expectHistory(history, new Map(rows.map(({ id, title }) => [String(id), String(title)])));
      while (!(await follower.poll()));
      const ofFirst = rows.filter(({ calendar_id }) => calendar_id === reader.calendar);
      expect(follower.titles).toEqual(new Map(ofFirst.map(({ id, title }) => [String(id), String(title)])));
      const after = await revisionsOf(direct);
      expect(follower.revision()).toBe(after.get(reader.calendar));
      expect(sumOf(after) - sumOf(before)).toBeGreaterThanOrEqual(history.confirmed);
      process.stderr.write(
        `history: ${history.confirmed} writes confirmed, ${history.titles.refused.length} creates refused, ${history.titles.unknown.length} unknown\n`,
      );
    });
  });
});
