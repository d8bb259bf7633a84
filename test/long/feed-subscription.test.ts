import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Feed } from "../../contract/shapes.js";
import { addDays } from "../../src/time/zoned-time.js";
import { createInstallation, type Installation, TOMORROW } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { createThunderbird } from "../system/support/thunderbird.js";

/** A feed of the profile local, whose database the built program serves, in programs that others have written. */

const DAYS = 7;
const dayOf = (index: number) => addDays(TOMORROW, index);

/** Events and days as khal and the program list them. */
const LINE = "{start-long}|{end-long}|{title}";
const TEMPLATE =
  "{{ start_local | slice: 0, 16 | replace: 'T', ' ' }}|{{ end_local | slice: 0, 16 | replace: 'T', ' ' }}|{{ title }}";

/** A calendar on this machine that vdirsyncer fills from an address, and khal lists. */
function createSubscriber({ home }: Installation, address: string) {
  const calendar = join(home, "calendar");
  mkdirSync(calendar);
  const options = { env: { ...process.env, LC_ALL: "C.UTF-8", HOME: home, XDG_DATA_HOME: home } };
  const write = (name: string, lines: readonly string[]) => {
    writeFileSync(join(home, name), `${lines.join("\n")}\n`);
    return join(home, name);
  };
  const vdirsyncer = write("vdirsyncer", [
    ...["[general]", `status_path = "${join(home, "status")}"`],
    ...["[pair feed]", 'a = "remote"', 'b = "local"', "collections = null", 'conflict_resolution = "a wins"'],
    ...["[storage remote]", 'type = "http"', `url = "${address}.ics"`],
    ...["[storage local]", 'type = "filesystem"', `path = "${calendar}"`, 'fileext = ".ics"'],
  ]);
  const khal = write("khal", [
    ...["[calendars]", "[[feed]]", `path = ${calendar}`, "[sqlite]", `path = ${join(home, "khal.db")}`],
    ...["[locale]", "local_timezone = UTC", "default_timezone = UTC", "timeformat = %H:%M"],
    ...["dateformat = %Y-%m-%d", "longdateformat = %Y-%m-%d", "datetimeformat = %Y-%m-%d %H:%M"],
    "longdatetimeformat = %Y-%m-%d %H:%M",
  ]);
  const run = promisify(execFile);
  return {
    discover: () => run("vdirsyncer", ["-c", vdirsyncer, "discover"], options),
    async listed(): Promise<readonly string[]> {
      await run("vdirsyncer", ["-c", vdirsyncer, "sync"], options);
      const list = ["list", "--day-format", "", "--format", LINE, TOMORROW, `${DAYS}d`];
      const { stdout } = await run("khal", ["-c", khal, ...list], options);
      return stdout.split("\n").filter(Boolean).sort();
    },
  };
}

/** What is compared of an event that the program lists. */
type Listed = Readonly<Record<"title" | "start_at" | "start_local" | "end_at" | "end_local", string>> & {
  readonly all_day: boolean;
};

/** An installation with three events of tomorrow, whose feed is served. */
async function createPublisher() {
  const installation = createInstallation();
  const json = async <T>(...argv: readonly string[]) => {
    const { exitCode, stdout, stderr } = await installation.run(...argv, "-o", "json");
    expect(exitCode, stderr).toBe(0);
    return JSON.parse(stdout) as T;
  };
  const create = (title: string, ...flags: readonly string[]) =>
    json<{ readonly id: string }>("events", "create", "--title", title, ...flags);
  const { id } = await create("Lunch", "--start", `${TOMORROW}T12:30`, "--duration", "45m");
  await create("Call; with, signs\\", "--start", `${TOMORROW}T20:00`, "--start-timezone", "Asia/Tokyo");
  await create("Holiday", "--all-day", "--start", TOMORROW);
  await installation.start("service", "start", "--port", "0", "-o", "json").stdoutWith("\n");
  const { address = "" } = await json<Feed>("feeds", "add");
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/feeds\//);
  const flags = ["--from", TOMORROW, "--to", dayOf(DAYS - 1), "--timezone", "UTC"];
  return {
    installation,
    address,
    create,
    json,
    events: () => json<readonly Listed[]>("events", "list", ...flags),
    async lines() {
      const { stdout } = await installation.run("events", "list", ...flags, "--template", TEMPLATE);
      return stdout.split("\n").filter(Boolean).sort();
    },
    changeOne: () => json("events", "update", id, "--title", "Dinner", "--start", `${TOMORROW}T19:00`),
  };
}

describeWithSystem("vdirsyncer", "a program that subscribes", () => {
  describeWithSystem("khal", "and khal", () => {
    test("show what events list shows, also after a change", async () => {
      const { installation, address, lines, changeOne } = await createPublisher();
      const subscriber = createSubscriber(installation, address);
      await subscriber.discover();
      expect(await lines()).toHaveLength(3);
      expect(await subscriber.listed()).toEqual(await lines());
      await changeOne();
      expect(await subscriber.listed()).toEqual(await lines());
      expect(await lines()).toEqual(expect.arrayContaining([expect.stringContaining("|Dinner")]));
    });

    test("show a series without what was deleted, and what was moved where it is", async () => {
      const { installation, address, lines, create, json } = await createPublisher();
      const times = ["--start", `${TOMORROW}T09:00`, "--duration", "30m", "--timezone", "UTC"];
      const { id } = await create("Run", ...times, "--repeat", "daily");
      const idOf = (index: number) => `${id}_${dayOf(index).replaceAll("-", "")}T090000Z`;
      const later = ["--start", `${dayOf(1)}T11:00`, "--timezone", "UTC"];
      await json("events", "update", idOf(1), "--scope", "this", ...later);
      await json("events", "delete", idOf(2), "--scope", "this", "--yes");
      const subscriber = createSubscriber(installation, address);
      await subscriber.discover();
      const runs = async () => (await subscriber.listed()).filter((line) => line.endsWith("|Run"));
      const run = (index: number, start: string, end: string) =>
        `${dayOf(index)} ${start}|${dayOf(index)} ${end}|Run`;
      const early = (index: number) => run(index, "09:00", "09:30");
      expect(await runs()).toEqual([early(0), run(1, "11:00", "11:30"), ...[3, 4, 5, 6].map(early)]);
      expect(await subscriber.listed()).toEqual(await lines());
      await json("events", "delete", idOf(4), "--scope", "following", "--yes");
      expect(await runs()).toEqual([early(0), run(1, "11:00", "11:30"), early(3)]);
    });
  });
});

/** Longer than a start of Thunderbird takes (ms). */
const TIME_TO_SUBSCRIBE = 90_000;

describeWithSystem("thunderbird", "Thunderbird", () => {
  test(
    "has what events list shows, also after a change",
    async () => {
      const { installation, address, events, changeOne } = await createPublisher();
      const thunderbird = createThunderbird(installation.home, `${address}.ics`);
      const expectStored = async () => {
        const listed = (await events()).map(
          ({ title, all_day, start_at, start_local, end_at, end_local }) => ({
            title,
            start: Date.parse(all_day ? start_local : start_at),
            end: Date.parse(all_day ? addDays(end_local, 1) : end_at),
          }),
        );
        const end = thunderbird.start();
        await expect
          .poll(() => thunderbird.stored().catch(() => []), { timeout: TIME_TO_SUBSCRIBE, interval: 500 })
          .toEqual(listed.sort((one, other) => (one.title < other.title ? -1 : 1)));
        await end();
      };
      await expectStored();
      await changeOne();
      await expectStored();
      expect(await events()).toEqual(expect.arrayContaining([expect.objectContaining({ title: "Dinner" })]));
    },
    3 * TIME_TO_SUBSCRIBE,
  );
});
