import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Feed } from "../../contract/shapes.js";
import { createInstallation, type Installation, TOMORROW } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";

/** A feed of the profile local, whose database the built program serves, in programs that others have written. */

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
      const list = ["list", "--day-format", "", "--format", LINE, TOMORROW, "1d"];
      const { stdout } = await run("khal", ["-c", khal, ...list], options);
      return stdout.split("\n").filter(Boolean).sort();
    },
  };
}

describeWithSystem("vdirsyncer", "a program that subscribes", () => {
  describeWithSystem("khal", "and khal", () => {
    test("show what events list shows, also after a change", async () => {
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
      const subscriber = createSubscriber(installation, address);
      await subscriber.discover();
      const expected = async () => {
        const flags = ["--on", TOMORROW, "--timezone", "UTC", "--template", TEMPLATE];
        const { stdout } = await installation.run("events", "list", ...flags);
        return stdout.split("\n").filter(Boolean).sort();
      };
      expect(await expected()).toHaveLength(3);
      expect(await subscriber.listed()).toEqual(await expected());
      await json("events", "update", id, "--title", "Dinner", "--start", `${TOMORROW}T19:00`);
      expect(await subscriber.listed()).toEqual(await expected());
      expect(await expected()).toEqual(expect.arrayContaining([expect.stringContaining("|Dinner")]));
    }, 60_000);
  });
});
