import { expect, onTestFinished, test } from "vitest";
import { blocksBelow, readPage } from "../support/docs-pages.js";
import { describeWithSystem, describeWithSystemd } from "../support/system.js";
import { type SystemdMachine, startSystemdMachine } from "../support/systemd-machine.js";

/** examples/calctl.service, set up, backed up and restored by the commands of docs/service/operating.md. */

const DATABASE = "--db sqlite:/var/lib/calctl/calendar.db";

/** Runs the last commands below a heading of the page. The date does not change between two blocks. */
async function runBlock(machine: SystemdMachine, heading: string): Promise<void> {
  const commands = blocksBelow(readPage("docs/service/operating.md"), heading).findLast(
    ({ language }) => language === "sh",
  );
  await machine.succeed((commands?.text ?? "").replaceAll("$(date +%F)", "2026-11-21"));
}

/** A command that waits until the service answers. */
function ready(): string {
  const probe = `fetch("http://127.0.0.1:8787/readyz").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;
  return `until node -e '${probe}'; do :; done`;
}

async function installService(): Promise<SystemdMachine> {
  const machine = await startSystemdMachine();
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") process.stderr.write((await machine.run("journalctl")).stdout);
  });
  await runBlock(machine, "Start it with systemd");
  await machine.succeed(ready());
  return machine;
}

describeWithSystemd("with systemd,", () => {
  test("the service runs as its own user, answers, logs to the journal and ends cleanly", async () => {
    const machine = await installService();
    const token = await machine.succeed(
      `sudo -u calctl calctl service tokens create --user Ana --fields token ${DATABASE}`,
    );
    const env = `HOME=/root CALCTL_BASE_URL=http://127.0.0.1:8787 CALCTL_TOKEN=${token.trim()}`;
    expect(await machine.succeed(`${env} calctl whoami --fields name`)).toBe("Ana\n");
    const modes = "cd /var/lib; stat --format '%n %U %a' calctl calctl/calendar.db calctl/calendar.db-wal";
    expect(await machine.succeed(modes)).toBe(
      "calctl calctl 700\ncalctl/calendar.db calctl 600\ncalctl/calendar.db-wal calctl 600\n",
    );
    await machine.succeed("systemctl stop calctl");
    const result = "systemctl show calctl --property Result,ExecMainStatus,NRestarts --value";
    expect(await machine.succeed(result)).toBe("success\n0\n0\n");
    const journal = await machine.succeed("journalctl --unit calctl --output cat");
    const requests = journal.match(/^\{.*\}$/gm)?.map((line) => JSON.parse(line));
    expect(requests?.filter(({ path }) => path !== "/readyz")).toMatchObject([
      { method: "GET", path: "/user", status: 200, address: "127.0.0.1" },
    ]);
    expect(await machine.succeed("ls -A /var/lib/calctl")).toBe("calendar.db\n");
  });

  test("the service is started again after it was killed", async () => {
    const machine = await installService();
    await machine.succeed("systemctl kill --signal=KILL calctl");
    const restarts = "systemctl show calctl --property NRestarts --value";
    await machine.succeed(`until [ "$(${restarts})" = 1 ]; do :; done; ${ready()}`);
  });

  describeWithSystem("sqlite3", "with sqlite3,", () => {
    test("a backup that was made while it ran is restored", async () => {
      const machine = await installService();
      const names = `sudo -u calctl calctl service users list --fields name ${DATABASE}`;
      await runBlock(machine, "Back up");
      await machine.succeed(`sudo -u calctl calctl service users add Ben ${DATABASE} </dev/null`);
      expect(await machine.succeed(names)).toBe("Ana\nBen\n");
      await machine.succeed("systemctl kill --signal=KILL calctl");
      await runBlock(machine, "Restore");
      expect(await machine.succeed(names)).toBe("Ana\n");
      await machine.succeed(ready());
      expect(await machine.succeed("stat --format '%U %a' /var/lib/calctl/calendar.db")).toBe("calctl 600\n");
    });
  });
});
