import { beforeEach, describe, expect, test } from "vitest";
import { byService, reply } from "../../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";
import { share } from "../../support/shared.js";
import { words } from "../../support/words.js";

/** Keeps without times, of a service that lists them and of some that do not. Now is Saturday 21 November. */

async function createWorld(): Promise<RemoteWorld> {
  const made = await createRemoteWorld();
  await made.service.admin.calendars.add({ name: "Work", owner: made.userId });
  const create = (title: string, calendar: string, ...flags: readonly string[]) =>
    made.json("events", "create", "--category", "keep", "--title", title, "-c", calendar, ...flags);
  await create("Milk", "Personal", "--label", "2");
  await create("Bread", "Personal");
  await create("Toner", "Work");
  await create("Today", "Personal", "--start", "2026-11-21T09:00", "--duration", "1h");
  await create("Later", "Personal", "--start", "2026-12-21T09:00", "--duration", "1h");
  return made;
}

const shared = share(createWorld);
let world: RemoteWorld;
beforeEach(() => {
  world = shared();
  world.server.forget();
});

const list = (...flags: readonly string[]) =>
  world.send("events", "list", "--fields", "title", "--category", "keep", ...flags);

/** The titles of a list that must succeed, with nothing on stderr. */
async function titles(...flags: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await list(...flags);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout.split("\n").slice(0, -1);
}

const TIMELESS = ["Bread", "Milk", "Toner"];
const NOTE = "this service does not list keeps without times\n";

test.each([
  ["--days 7", "Today, Bread, Milk, Toner"],
  ["--on 2026-11-22", "Bread, Milk, Toner"],
  ["--from 2026-12-01", "Later, Bread, Milk, Toner"],
  ["--remaining", "Bread, Milk, Toner"],
  ["-c Work", "Toner"],
  ["-c Work -c Personal", "Today, Bread, Milk, Toner"],
  ["--search MIL", "Milk"],
  ["--search a", "Today, Later, Bread"],
  ["--label 2", "Milk"],
  ["--mine", "Today, Bread, Milk, Toner"],
])(
  "events list --category keep %s has those of the days, then those without times",
  async (flags, expected) => {
    expect((await titles(...flags.split(" "))).join(", ")).toBe(expected);
  },
);

test.each(["table", "tsv", "csv", "json", "ndjson", "markdown", "text"])("as %s, too", async (format) => {
  for (const flags of [[], ["--from", "2026-11-21"]]) {
    const { exitCode, stdout } = await world.send(
      ...words`events list --category keep`,
      ...flags,
      ...words`-o ${format}`,
    );
    expect({ exitCode, found: stdout.match(/Today|Bread|Milk|Toner/g) }).toEqual({
      exitCode: 0,
      found: ["Today", ...TIMELESS],
    });
  }
});

test.each([
  "events list --days 7",
  "events list --category schedule",
  "agenda",
  "post --as slack --dry-run --category keep",
])("%s does not have them", async (line) => {
  const { exitCode, stdout } = await world.send(...line.split(" "));
  expect({ exitCode, found: stdout.match(/Bread|Milk|Toner/g) }).toEqual({ exitCode: 0, found: null });
  expect(world.server.requests.map(({ path }) => path.split("/").at(-1))).not.toContain("events");
});

describe("a service without this list", () => {
  const limited = share(createWorld);
  beforeEach(() => {
    world = limited();
  });

  const answer = (status: number) =>
    world.server.on(`GET /calendars/${world.calendarId}/events`, [reply({ status, body: "" })]);
  /** As an embedded service of before: it has the list, and ignores the parameter. */
  const ignoreCategory = () =>
    world.server.on(`GET /calendars/${world.calendarId}/events`, [
      reply((request) => {
        const url = new URL(request.target, "http://service.example");
        url.searchParams.delete("category");
        return byService(world.service)({ ...request, target: `${url.pathname}${url.search}` });
      }),
    ]);

  test.each([
    ["answers 404", () => answer(404)],
    ["answers 405", () => answer(405)],
    ["ignores the category", ignoreCategory],
  ])("which %s, gives those of the days, and a note says what is missing", async (_, prepare) => {
    prepare();
    expect(await list("-c", "Personal")).toEqual({ exitCode: 0, stdout: "Today\n", stderr: NOTE });
    expect(await list("-c", "Personal", "-q")).toEqual({ exitCode: 0, stdout: "Today\n", stderr: "" });
    const several = await list("-o", "ndjson", "--on", "2026-11-21");
    expect(several.stdout.match(/Today|Toner/g)).toEqual(["Today", "Toner"]);
    expect(several.stderr).toBe(NOTE);
  });

  test("is said once, however many calendars there are", async () => {
    world = await createWorld();
    const calendars = await world.json<{ id: string }[]>("calendars", "--fields", "id");
    for (const { id } of calendars)
      world.server.on(`GET /calendars/${id}/events`, [reply({ status: 404, body: "" })]);
    expect(await list("-A")).toEqual({ exitCode: 0, stdout: "Today\n", stderr: NOTE });
  });
});

describe("events create of a keep without times", () => {
  const argv = words`events create -c Personal --title Tea --category keep --fields id`;
  const empty = share(() => createRemoteWorld());
  beforeEach(() => {
    world = empty();
    world.server.forget();
  });

  test("tells how to list it", async () => {
    const { exitCode, stderr } = await world.send(...argv);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: "calctl events list --category keep shows keeps without times\n",
    });
    expect(await titles("--search", "tea")).toEqual(["Tea"]);
  });

  test("asks nothing for one with times", async () => {
    await world.send(...argv, "--start", "2026-11-21T09:00", "--duration", "1h");
    expect(
      world.server.requests.filter(({ method, path }) => method === "GET" && path.endsWith("/events")),
    ).toEqual([]);
  });

  test.each([404, 405, 401, 400])("or to keep its id, where the service answers %i", async (status) => {
    world.server.on(`GET /calendars/${world.calendarId}/events`, [reply({ status, body: "" })]);
    const { exitCode, stdout, stderr } = await world.send(...argv);
    expect(stdout).toMatch(/^[0-9a-f]{32}\n$/);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `this keep has no date and appears on no day; note its id: ${stdout}`,
    });
  });
});
