import { expect, test } from "vitest";
import { createInstallation } from "../support/spawned.js";
import { describeWithSystem, fixedTime } from "../support/system.js";

/** Series on a machine on which nothing was written for years. */

interface Listed {
  readonly title: string;
  readonly start_local: string;
}

const WEEK = ["2031-01-06T09:30 Sync", "2031-01-07T14:00 Sync", "2031-01-08 Bins"];

describeWithSystem("faketime", "years after a series was made,", () => {
  test("every command shows it", async () => {
    const { shell } = createInstallation();
    /** At eight o'clock of a day. */
    const at = (day: string, line: string) =>
      shell(
        `export ${fixedTime(`${day} 08:00:00`)
          .map((word) => `'${word}'`)
          .join(" ")}; ${line}`,
      );
    const made = await at(
      "2026-11-26",
      `set -e
      series=$(calctl events create -c Personal --title Sync --start "2026-11-30 09:30" --duration 30m --repeat "weekly on mon,wed" --fields id)
      calctl events create -c Personal --title Bins --all-day --start 2026-12-02 --repeat "weekly on wed"
      calctl events update "$series"_20310108T083000Z --scope this --start "2031-01-07 14:00"`,
    );
    expect(made.exitCode, made.stderr).toBe(0);
    const shown = async (command: string) => {
      const { stdout, stderr } = await at("2031-01-06", `calctl ${command} -o json`);
      expect(stderr).toBe("");
      const listed: Listed | readonly Listed[] = JSON.parse(stdout);
      return [listed].flat().map(({ start_local: start, title }) => `${start.slice(0, 16)} ${title}`);
    };
    for (const command of ["events list --days 7", "agenda", "events list --from 2031-01-06 --to 2031-01-12"])
      expect(await shown(command), command).toEqual(WEEK);
    for (const command of [
      "next",
      "events list --search Sync",
      "remind -p local --before 2h --dry-run -- true",
    ])
      expect(await shown(command), command).toEqual(WEEK.slice(0, 1));
    const { stdout: free } = await at("2031-01-06", "calctl free --days 2 -o ndjson");
    const borders = free.match(/T\d\d:\d\d(?=:00\+01:00)/g);
    expect(borders).toEqual(["T08:00", "T09:30", "T10:00", "T14:00", "T14:30", "T00:00"]);
    const { stdout: file } = await at("2031-01-06", "calctl agenda -o ics");
    expect(file.match(/^(?:RRULE:FREQ=W|RECURRENCE-ID)\S*/gm)).toEqual([
      "RRULE:FREQ=WEEKLY;BYDAY=MO,WE",
      "RECURRENCE-ID;TZID=Europe/Berlin:20310108T093000",
      "RRULE:FREQ=WEEKLY;BYDAY=WE",
    ]);
  });
});
