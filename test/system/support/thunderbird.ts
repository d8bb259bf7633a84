import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadSqlite } from "../../../src/system/sqlite/driver.js";
import { systemPart } from "../../support/system-parts.js";

/** An event as Thunderbird has stored it; times in ms since the Unix epoch, those of a day as if in UTC. */
export interface StoredEvent {
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

const CALENDAR = "calendar.registry.11111111-1111-4111-8111-111111111111";

/** Nothing but this machine is reached, and no window asks first. */
const PREFERENCES = {
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
  "network.proxy.no_proxies_on": "127.0.0.1",
  "mail.provider.suppress_dialog_on_startup": true,
  "datareporting.policy.dataSubmissionEnabled": false,
  "app.update.enabled": false,
  "app.donation.eoy.version.viewed": 999,
};

/**
 * Thunderbird without a window, which subscribes to a calendar and stores what it has read. It reads the calendar once each
 * time it is started.
 * @param home folder of its profile
 */
export function createThunderbird(home: string, address: string) {
  const profile = join(home, "thunderbird");
  mkdirSync(profile);
  const preferences = {
    ...PREFERENCES,
    [`${CALENDAR}.type`]: "ics",
    [`${CALENDAR}.uri`]: address,
    [`${CALENDAR}.name`]: "Feed",
    [`${CALENDAR}.cache.enabled`]: true,
  };
  const lines = Object.entries(preferences).map(
    (each) => `user_pref(${JSON.stringify(each).slice(1, -1)});\n`,
  );
  writeFileSync(join(profile, "user.js"), lines.join(""));
  return {
    /** @returns ends it */
    start(): () => Promise<void> {
      const argv = ["--headless", "--no-remote", "--profile", profile];
      const env = { ...process.env, HOME: home };
      const child = spawn(systemPart("thunderbird") ?? "", argv, { env, stdio: "ignore", detached: true });
      const ended = new Promise<void>((resolve) => {
        child.once("exit", () => resolve());
        child.once("error", () => resolve());
      });
      const end = async () => {
        if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
          process.kill(-child.pid, "SIGKILL");
        await ended;
      };
      onTestFinished(end);
      return end;
    },
    /** What it has stored by now. It keeps the file locked, so a copy is read. */
    async stored(): Promise<readonly StoredEvent[]> {
      const [from, to] = [join(profile, "calendar-data"), join(home, "thunderbird-copy")];
      mkdirSync(to, { recursive: true });
      for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name));
      const { DatabaseSync } = await loadSqlite();
      const database = new DatabaseSync(join(to, "cache.sqlite"));
      try {
        const query =
          "select title, event_start / 1000 as start, event_end / 1000 as end from cal_events order by title";
        return database.prepare(query).all() as unknown as readonly StoredEvent[];
      } finally {
        database.close();
      }
    },
  };
}
