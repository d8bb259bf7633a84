import { expect, test } from "vitest";
import { listenHttp } from "../api/network/peers.js";
import { blocksBelow, readPage } from "../support/docs-pages.js";
import { describeWithSystem, describeWithSystemd } from "../support/system.js";
import { createJobWorld, HOOK_SECRET, type JobWorld, NOON_ZONE } from "./support/job-world.js";
import { startSilentServer } from "./support/silent-server.js";
import { type SystemdMachine, startSystemdMachine } from "./support/systemd-machine.js";

/**
 * The units of examples: calctl.service, set up, backed up and restored by the commands of docs/service/operating.md, and
 * calctl-digest, calctl-remind and calctl-failed, set up by those of docs/cron.md.
 */

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
  await runBlock(machine, "Start it with systemd");
  await machine.succeed(ready());
  return machine;
}

describeWithSystemd("the service with systemd,", () => {
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

interface DigestMachine extends SystemdMachine {
  readonly world: JobWorld;
  /** Starts the unit as its timer does. Resolves with its state when it has ended, or waits to be restarted. */
  digest(): Promise<UnitState>;
  state(): Promise<UnitState>;
}

interface UnitState {
  readonly Result: string;
  readonly ExecMainStatus: string;
  readonly NRestarts: string;
}

const DONE: UnitState = { Result: "success", ExecMainStatus: "0", NRestarts: "0" };

/** @param baseUrl of the calendar service, if it is another one than that of the world */
async function createDigestMachine(baseUrl?: string): Promise<DigestMachine> {
  const machine = await startSystemdMachine();
  const world = await createJobWorld();
  const { service, hook } = world;
  await machine.forward(portOf(hook));
  const places = [
    ["https://calendar.example/api", baseUrl ?? service.baseUrl],
    ["Europe/Berlin", NOON_ZONE],
    ["RestartSec=5min", "RestartSec=100ms"],
  ];
  const edits = places.map(([from, to]) => `-e 's|${from}|${to}|'`).join(" ");
  // In a copy of the package, with the files of secrets beside the examples.
  const commands = blocksBelow(readPage("cron"), "systemd").findLast(({ language }) => language === "sh");
  await machine.succeed(`
    mkdir -p /home/examples && cd /home
    cp "$OLDPWD"/examples/calctl-{digest,remind}.{service,timer} "$OLDPWD"/examples/calctl-failed@.service examples && sed -i ${edits} examples/*
    echo '${service.token}' >token-file
    echo '${hook}' >url-file
    ${commands?.text}`);
  const state = async (): Promise<UnitState> => {
    const show = "systemctl show calctl-digest --property Result,ExecMainStatus,NRestarts";
    const lines = (await machine.succeed(show)).trim().split("\n");
    return Object.fromEntries(lines.map((line) => line.split("=")));
  };
  return {
    ...machine,
    world,
    state,
    async digest() {
      await machine.run("systemctl start calctl-digest");
      return state();
    },
  };
}

/** A sendmail that keeps what it gets. @returns what reads it, once the failed digest was mailed */
async function takeMails(machine: SystemdMachine): Promise<() => Promise<string>> {
  await machine.succeed(`
    mkdir -p /var/bin /etc/systemd/system/calctl-failed@.service.d
    printf '#!/bin/sh\\ncat >>/var/mails\\n' >/var/bin/sendmail && chmod +x /var/bin/sendmail
    printf '[Service]\\nEnvironment=PATH=/var/bin:/usr/bin\\n' >/etc/systemd/system/calctl-failed@.service.d/path.conf
    systemctl daemon-reload`);
  // Its instance is the whole name of the unit that failed.
  const unit = "calctl-failed@calctl-digest.service.service";
  const isSent = `[ -s /var/mails ] && [ $(systemctl is-active ${unit}) = inactive ]`;
  return () => machine.succeed(`until ${isSent}; do :; done; cat /var/mails`);
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

describeWithSystemd("jobs with systemd,", () => {
  test("the digest is posted once, and the timer is set", async () => {
    const machine = await createDigestMachine();
    const { posted, service } = machine.world;
    await machine.forward(portOf(service.baseUrl));
    const units = "/etc/systemd/system/calctl-{digest,remind}";
    const failed = "/etc/systemd/system/calctl-failed@.service";
    expect(await machine.run(`systemd-analyze verify ${units}.{service,timer} ${failed}`)).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
    const timers = await machine.succeed("systemctl list-timers");
    for (const name of ["digest", "remind"])
      expect(timers).toMatch(new RegExp(`calctl-${name}\\.timer +calctl-${name}\\.service`));
    // As the embedded service's own unit; in tenths.
    const isHardened = `systemd-analyze security --offline=true --threshold=20 ${units}.service`;
    expect((await machine.run(isHardened)).exitCode).toBe(0);
    await machine.succeed("systemctl start calctl-remind");
    expect(posted).toHaveLength(0);
    expect(await machine.digest()).toEqual(DONE);
    expect(posted).toEqual([expect.stringContaining("Choir trip")]);
    expect(await machine.digest()).toEqual(DONE);
    expect(posted).toHaveLength(1);
    const journal = "journalctl --unit calctl-digest --output cat _SYSTEMD_UNIT=calctl-digest.service";
    expect(await machine.succeed(journal)).toBe("");
    const account = `HOME=/root CALCTL_BASE_URL=${service.baseUrl} CALCTL_TOKEN=${service.token}`;
    const doctor = await machine.run(`
      [ ! -e /usr/sbin/sendmail ] || mount --bind /dev/null /usr/sbin/sendmail
      ${account} calctl doctor --as mail --to ana@example.org`);
    expect(doctor).toMatchObject({
      exitCode: 10,
      stdout: expect.stringContaining("there is no sendmail in"),
    });
  });

  test("exit 8 is restarted until the service can be reached, or too often", async () => {
    const machine = await createDigestMachine();
    const mails = await takeMails(machine);
    const { posted, service } = machine.world;
    const setLimit = (from: number, to: number) =>
      machine.succeed(`
        sed -i s/StartLimitBurst=${from}/StartLimitBurst=${to}/ /etc/systemd/system/calctl-digest.service
        systemctl daemon-reload; systemctl reset-failed`);
    await setLimit(12, 2);
    await machine.digest();
    await machine.succeed("until [ $(systemctl is-active calctl-digest) = failed ]; do :; done");
    expect(await machine.state()).toMatchObject({ Result: "exit-code", ExecMainStatus: "8" });
    // One, although it was started twice.
    expect((await mails()).match(/^Subject: .*/gm)).toEqual([
      expect.stringMatching(/^Subject: calctl-digest\.service has failed on ./),
    ]);
    await setLimit(2, 12);
    await machine.digest();
    await machine.forward(portOf(service.baseUrl));
    await machine.succeed("until [ $(systemctl is-active calctl-digest) = inactive ]; do :; done");
    const { NRestarts, ...rest } = await machine.state();
    expect(rest).toEqual({ Result: "success", ExecMainStatus: "0" });
    expect(Number(NRestarts)).toBeGreaterThan(0);
    const journal = await machine.succeed("journalctl --unit calctl-digest --output cat");
    expect(new Set(journal.match(/status=\d+/g))).toEqual(new Set(["status=8"]));
    expect(posted).toHaveLength(1);
  });

  test("exit 9 is not restarted but mailed, and the next run sends nothing", async () => {
    const machine = await createDigestMachine();
    const mails = await takeMails(machine);
    const { posted, hangUpNext, service } = machine.world;
    await machine.forward(portOf(service.baseUrl));
    hangUpNext();
    expect(await machine.digest()).toEqual({ ...DONE, Result: "exit-code", ExecMainStatus: "9" });
    expect(await machine.succeed("systemctl show calctl-digest --property ActiveState --value")).toBe(
      "failed\n",
    );
    const mail = await mails();
    expect(mail).toMatch(/^To: ana@example\.org\nSubject: calctl-digest\.service has failed on .*\n/);
    for (const text of ["status=9", "the write may have succeeded: “", "with --again"])
      expect(mail).toContain(text);
    expect(await machine.digest()).toEqual(DONE);
    expect(posted).toHaveLength(1);
  });

  describeWithSystem("curl", "with curl,", () => {
    test("the drop-in of docs/cron.md pings after exit 0 alone", async () => {
      const machine = await createDigestMachine();
      const { hangUpNext, service } = machine.world;
      await machine.forward(portOf(service.baseUrl));
      const pings: (string | undefined)[] = [];
      const receiver = await listenHttp((request, response) => {
        pings.push(request.url);
        response.end();
      });
      await machine.forward(portOf(`http://${receiver}`));
      const [block] = blocksBelow(readPage("cron"), "Watch it").filter(({ language }) => language === "ini");
      const text = block?.text.replace("https://ping.example", `http://${receiver}`) ?? "";
      const path = /^# (.+)$/m.exec(text)?.[1] ?? "";
      await machine.succeed(`
        mkdir -p "$(dirname ${path})"
        echo '${text}' >${path}
        systemctl daemon-reload`);
      hangUpNext();
      expect(await machine.digest()).toMatchObject({ ExecMainStatus: "9" });
      expect(pings).toEqual([]);
      expect(await machine.digest()).toEqual(DONE);
      expect(pings).toEqual(["/digest"]);
    });
  });

  test("nothing but the service can read token and webhook", async () => {
    const silent = await startSilentServer();
    const machine = await createDigestMachine(silent.url);
    const { service } = machine.world;
    await machine.forward(portOf(silent.url));
    await machine.succeed("systemctl start --no-block calctl-digest");
    // It has read both, and waits.
    expect((await silent.asked("authorization")).readyState).toBe("open");
    const credentials = "/run/credentials/calctl-digest.service";
    const pid = "$(systemctl show calctl-digest --property MainPID --value)";
    const find = `grep -rlsF -e '${service.token}' -e ${HOOK_SECRET}`;
    expect(
      await machine.succeed(`${find} /etc /home /proc/${pid}/{environ,cmdline} ${credentials} /var | sort`),
    ).toBe(
      [
        "/etc/calctl-token",
        "/etc/calctl-webhook",
        "/home/token-file",
        "/home/url-file",
        ...["token", "webhook-url"].map((name) => `${credentials}/calctl-${name}`),
        "",
      ].join("\n"),
    );
    const asOther = "setpriv --reuid 4242 --regid 4242 --clear-groups";
    expect((await machine.run(`${asOther} ${find} /etc ${credentials} /var`)).stdout).toBe("");
    expect((await machine.run(`${asOther} cat ${credentials}/calctl-token`)).stderr).toContain(
      "Permission denied",
    );
    await machine.succeed("systemctl stop calctl-digest");
    expect(await machine.run(`ls ${credentials}`)).toMatchObject({ exitCode: 2 });
  });
});
