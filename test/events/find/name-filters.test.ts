import { beforeEach, describe, expect, test } from "vitest";
import { resolveScope } from "../../../src/events/changes/scope.js";
import { rememberedNames } from "../../../src/events/find/event-query.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";

/** `--label`, `--exclude-label` and `--attendee`, wherever events are listed. */

let world: RemoteWorld;

beforeEach(async () => {
  world = await createRemoteWorld();
  const { admin } = world.service;
  const work = (await admin.calendars.add({ name: "Work", owner: "ana" })).id;
  await admin.users.add({ name: "Ben" });
  await admin.members.add("Ben", "Work");
  await admin.labels.set(work, 2, { name: "Urgent" });
  await admin.labels.set(work, 3, { name: "Later" });
  let hour = 15;
  const create = (title: string, ...flags: string[]) => {
    hour += 1;
    const times = ["--start", `2026-11-21T${hour}:00`, "--duration", "30m"];
    return world.json("events", "create", "--title", title, ...times, ...flags);
  };
  await create("Fire", "-c", "Work", "--label", "Urgent", "--attendee", "Ben");
  await create("Plan", "-c", "Work", "--label", "Later", "--attendee", "me", "--attendee", "Ben");
  await create("Standup", "-c", "Work", "--attendee", "me");
  await create("Gym", "-c", "Personal");
});

async function titles(...flags: readonly string[]) {
  const { exitCode, stdout, stderr } = await world.send("events", "list", "--fields", "title", ...flags);
  return exitCode === 0 && stderr === "" ? stdout.trim().split("\n").join(" ") : `${exitCode} ${stderr}`;
}

const LISTS = [
  ["--label Urgent", "Fire"],
  ["--label Urgent --label later", "Fire Plan"],
  ["--label Urgent --label Urgent", "Fire"],
  ["--exclude-label Urgent", "Lunch Plan Standup Gym"],
  ["--exclude-label Urgent --exclude-label Later", "Lunch Standup Gym"],
  ["--exclude-label 1", "Fire Plan"],
  ["--label Urgent --label Later --exclude-label Later", "Fire"],
  ["--attendee Ben", "Fire Plan"],
  ["--attendee me", "Plan Standup"],
  ["--attendee Ben --attendee me", "Fire Plan Standup"],
  ["--attendee me --exclude-label Later", "Standup"],
  ["--attendee Ben --mine", "Fire Plan"],
  ["--from 2026-11-21 --attendee Ben --exclude-label Urgent -o ndjson", '{"title":"Plan"}'],
] as const;

test("events list has the events with one of the labels and members, but none that is excluded", async () => {
  for (const [flags, expected] of LISTS)
    expect({ flags, titles: await titles(...flags.split(" ")) }).toEqual({ flags, titles: expected });
});

describe.each([
  ["--label", "label", "labels: "],
  ["--exclude-label", "label", "labels: "],
  ["--attendee", "member", "members: "],
])("%s", (flag, noun, hint) => {
  test("of a name that no calendar has is exit 5, also beside one that is there", async () => {
    const known = flag === "--attendee" ? "Ben" : "Urgent";
    for (const argv of [
      [flag, "Nobody"],
      [flag, known, flag, "Nobody"],
    ]) {
      const result = await world.send("events", "list", ...argv);
      expect(result).toMatchObject({ exitCode: 5, stdout: "" });
      expect(result.stderr).toContain(`${flag}: there is no ${noun} "Nobody"\nhint: ${hint}`);
    }
    expect(await titles("-c", "Personal", flag, known)).toMatch(/^5 /);
  });

  test("with an empty name is exit 2, before any request", async () => {
    world.server.forget();
    expect(await titles(flag, "")).toMatch(new RegExp(`^2 error: ${flag}`));
    expect(world.server.requests).toEqual([]);
  });
});

test("names are looked up with one request for each list", async () => {
  const flags = ["-c", "Work", "--label", "Urgent", "--label", "Later", "--exclude-label", "Later"];
  const requests = async () => {
    world.server.forget();
    expect(await titles(...flags, "--attendee", "Ben")).toBe("Fire");
    return world.server.requests.map(({ path }) => path.replace(/.*\//, ""));
  };
  expect(await requests()).toEqual(["calendars", "labels", "members", "upcoming_events"]);
});

test("post, remind and events changes take them, and a message says so", async () => {
  const flags = ["--exclude-label", "Urgent", "--attendee", "Ben"];
  const posted = await world.send("post", "--as", "json", "--dry-run", ...flags);
  expect(JSON.parse(posted.stdout)).toMatchObject({
    title: "Today, Sat 21 Nov: 1 event, 17:00 Plan (not label Urgent, with Ben)",
  });
  const remind = ["remind", "--before", "5h", "--dry-run", ...flags, "--", "true"];
  const announced = JSON.parse((await world.send(...remind)).stdout) as { readonly title: string }[];
  expect(announced.map(({ title }) => title)).toEqual(["Plan"]);
  const changes = ["events", "changes", "--since-last", "a", "--from-start"];
  const added = await world.send(...changes, "--fields", "change,title", ...flags);
  expect(added.stdout).toBe("added\tPlan\n");
  const other = await world.send(...changes, "--attendee", "Ben");
  expect(other).toMatchObject(
    failed(2, 'the name "a" is bound to --exclude-label Urgent, not to what this run watches'),
  );
});

describe("what is remembered", () => {
  test.each([
    [undefined, undefined],
    [["2"], "2"],
    [["2", "2"], "2"],
    [
      ["b", "a", "b"],
      ["a", "b"],
    ],
  ])("of the values %j is %j: of one, what it was when there could be only one", (values, remembered) => {
    expect(rememberedNames(values === undefined ? {} : { label: values }).label).toEqual(remembered);
  });

  test("under a name by a release without these filters still fits", () => {
    const released = {
      ...{ service: "local", account: "1", calendars: null, days: 7 },
      ...{ category: null, label: "Urgent", mine: false, remaining: false },
    };
    const watched = {
      ...{ service: { kind: "local" } as const, account: "1", calendars: null, days: 7 },
      flags: { label: ["Urgent"], sinceLast: "a", nameFlag: "--since-last" as const },
    };
    expect(JSON.parse(JSON.stringify(resolveScope(watched, released)))).toEqual(released);
  });
});
