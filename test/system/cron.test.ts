import { expect, test } from "vitest";
import { blocksBelow, readPage } from "../support/docs-pages.js";
import { describeWithSystem, describeWithSystemd, fixedTime } from "../support/system.js";
import { createJobWorld, type JobWorld, NOON_ZONE } from "./support/job-world.js";
import { type SystemdMachine, startSystemdMachine } from "./support/systemd-machine.js";

/** Debian's cron runs jobs of the built program as it stands: few variables, no terminal, mail of what they print. */

interface CronMachine extends SystemdMachine {
  readonly world: JobWorld;
  /** Runs a script of bash as the user of the jobs, in the home folder. */
  asUser(script: string): Promise<string>;
  /** Installs a crontab and runs its jobs of Monday, seven o'clock, to their end. Once for each machine. */
  atSeven(crontab: string, jobs: number): Promise<CronRun>;
}

interface CronRun {
  /** Exit codes of the jobs that failed, in numerical order. */
  readonly failures: readonly number[];
  /** Subject and text of each mail, in the order of the subjects. */
  readonly mails: readonly (readonly [subject: string, text: string])[];
}

/** What a shell and a crontab could take apart. */
const HOME = "/home/ana maria 100%";

async function createCronMachine(): Promise<CronMachine> {
  const machine = await startSystemdMachine();
  const world = await createJobWorld();
  for (const url of [world.hook, world.service.baseUrl]) await machine.forward(Number(new URL(url).port));
  await machine.succeed(`
    useradd --create-home --home-dir '${HOME}' --shell /bin/sh ana
    mkdir -p /etc/pam.d /var/spool/cron/crontabs /var/spool/mail
    touch /var/spool/mail/none
    for kind in auth account session; do echo "$kind required pam_permit.so"; done >/etc/pam.d/cron
    chmod 1777 /var/spool/mail
    printf '#!/bin/sh\n{ cat; echo end of mail; } >/var/spool/mail/$$\n' >/etc/sendmail
    chmod +x /etc/sendmail
    mount --bind /etc/sendmail /usr/sbin/sendmail
    cd '${HOME}'
    echo '${world.service.token}' >token-file
    echo '${world.hook}' >url-file
    chmod 600 *-file
    chown ana *-file`);
  return {
    ...machine,
    world,
    asUser: (script) => machine.succeed(`cd '${HOME}'; ${AS_USER} bash -ec ${quote(script)}`),
    atSeven: (crontab, jobs) => runCron(machine, crontab, jobs),
  };
}

const AS_USER = `setpriv --reuid ana --regid ana --init-groups env -i HOME='${HOME}' PATH="$PATH"`;

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

async function runCron(machine: SystemdMachine, crontab: string, jobs: number): Promise<CronRun> {
  await machine.succeed(`crontab -u ana - <<'END'\n${crontab}\nEND`);
  // Jobs get a clean environment, and so the real time.
  machine.start(`exec env '${fixedTime("@2026-11-23 06:59:55").join("' '")}' cron -f -L 7`);
  const readLog = "journalctl --identifier CRON --output cat";
  const log = await machine.succeed(
    `until [ $(${readLog} | grep -c ' END ') = ${jobs} ]; do :; done; ${readLog}`,
  );
  const mails = await machine.succeed("cat /var/spool/mail/*");
  return {
    failures: [...log.matchAll(/failed with exit status (\d+)/g)]
      .map(([, code]) => Number(code))
      .sort((a, b) => a - b),
    mails: [...mails.matchAll(/^Subject: Cron <ana@machine> (.*)\n(?:.+\n)*\n([\s\S]*?)end of mail$/gm)]
      .map(([, subject = "", text = ""]) => [subject, text] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  };
}

describeWithSystemd("in a machine of its own,", () => {
  // Its clock, and the `sendmail` that is replaced, have to be there.
  describeWithSystem("faketime", "with its own time", () =>
    describeWithSystem("msmtp", "and mail,", () => describeWithSystem("cron", "cron", describeCron)),
  );
});

function describeCron(): void {
  test("runs the crontab of docs/cron.md as it stands, posts once and mails nothing", async () => {
    const machine = await createCronMachine();
    const { posted } = machine.world;
    await machine.asUser(setUpOf(machine));
    const [block] = blocksBelow(readPage("cron"), "The crontab");
    // Every line at seven, and that of the next morning: what the evening sent must not stand in its way.
    const schedules = /^(?:[\d*/,-]+ ){5}/gm;
    const page = (block?.text ?? "").replaceAll("Europe/Berlin", NOON_ZONE);
    const morning = /^\*.* --once .*$/m.exec(page)?.[0];
    const crontab = `${page}\n${morning} --on tomorrow`;
    const jobs = crontab.match(schedules)?.length ?? 0;
    expect(await machine.atSeven(crontab.replace(schedules, "0 7 * * * "), jobs)).toEqual({
      failures: [],
      mails: [],
    });
    // The day, the week, tomorrow in one's own words and the next day; nothing is new or about to start.
    expect(posted).toHaveLength(4);
    for (const body of posted) expect(body).toContain("Choir trip");
    expect(posted.filter((body) => body.includes("00:00 Choir trip"))).toHaveLength(1);
  });

  test("mails what went wrong, and nothing else", async () => {
    const machine = await createCronMachine();
    const { posted, hangUpNext } = machine.world;
    await machine.asUser(setUpOf(machine));
    hangUpNext();
    const post = `/usr/local/bin/calctl post --timezone ${NOON_ZONE} --to`;
    const crontab = `MAILTO=ana@example.org
        PATH=/usr/local/bin:/usr/bin:/bin
        0 7 * * * ${post} team
        0 7 * * * ${post} nosuch
        0 7 * * * HOME=/nowhere ${post} team
        0 7 * * * ${post} team --on 2026-13-01
        0 7 * * * ${post} team --search nosuch
        0 7 * * * calctl doctor --to team >/dev/null`.replaceAll("        ", "");
    const { failures, mails } = await machine.atSeven(crontab, 6);
    expect(failures).toEqual([2, 5, 9, 10]);
    const mailed = mails.map(([subject, text]) => `${subject.replace(post, "post")}: ${text.split("\n")[0]}`);
    expect(mailed).toEqual([
      'post nosuch (failed): error: there is no target "nosuch"',
      expect.stringMatching(
        /^post team \(failed\): error: target team: .*; the write may have succeeded: “.*Choir trip”$/,
      ),
      "post team --on 2026-13-01 (failed): error: --on: the date 2026-13-01 does not exist",
      expect.stringMatching(/^HOME=\/nowhere post team \(failed\): error: no service was chosen/),
    ]);
    for (const [, text] of mails) expect(text).toMatch(/^error: .+\nhint: .+\n$/);
    expect(posted).toHaveLength(1);
  });

  test("runs the line that doctor printed, as it stands, with a folder of any name", async () => {
    const machine = await createCronMachine();
    const { posted } = machine.world;
    // Neither the home folder of the user database nor the state folder in it.
    const variables = `export HOME="$HOME/jobs of 'us'" CALCTL_STATE_DIR="$HOME/50% done"`;
    await machine.asUser(
      `mkdir "$HOME/jobs of 'us'"; mv *-file "$HOME"/jobs*; ${variables}; cd; ${setUpOf(machine)}`,
    );
    const doctor = `calctl doctor --to team --timezone ${NOON_ZONE}`;
    const lines = await machine.asUser(
      `${variables}; ${doctor} --jq '.[] | select(.check == "crontab") | .detail'`,
    );
    expect(lines).toMatch(/^CALCTL_STATE_DIR=/m);
    // Twice at the same second, as with two crontabs.
    const crontab = `MAILTO=ana@example.org\n${lines}${lines}`;
    expect(await machine.atSeven(crontab, 2)).toEqual({ failures: [], mails: [] });
    expect(posted).toHaveLength(1);
    expect(await machine.asUser(`ls "$HOME/50% done"`)).toContain("state.db");
  });
}

/** The commands of docs/cron.md before the first run. */
function setUpOf({ world }: CronMachine): string {
  const [block] = blocksBelow(readPage("cron"), "Before the first run");
  return (block?.text ?? "").replace("https://calendar.example/api", world.service.baseUrl);
}
