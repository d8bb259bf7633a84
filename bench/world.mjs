// What the rows of the bench run against: a build, calendars, services over HTTP and HTTPS, and khal with the same events.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startService } from "../service/bench/service-process.mjs";
import { createRunner, seed } from "./seed.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Builds a copy of the checkout, since the code caches of a build belong to the Node that made them. */
export function buildWith(node, folder) {
  for (const name of [
    "bin",
    "build",
    "contract",
    "service",
    "src",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
  ]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  execute(node, ["build/build.mjs"], { cwd: folder });
  return join(folder, "dist/calctl.js");
}

/**
 * @param sizes how many events the calendars have
 * @returns environments of clients, paths of programs, and what ends the services
 */
export async function createWorld(node, program, { folder, sizes }) {
  const home = join(folder, "home");
  mkdirSync(home);
  // Nothing else of the machine's environment: NODE_EXTRA_CA_CERTS makes a bare Node five times slower.
  const env = { PATH: process.env.PATH, HOME: home, TZ: "UTC" };
  const run = createRunner(node, program, env);
  run(["calendars"]);
  const database = join(home, ".local/share/calctl/local.db");
  const token = seed(run, { database, sizes });
  const season = writeSeason(join(folder, "season.ndjson"));
  run([
    "service",
    "calendars",
    "add",
    "Season",
    "--owner",
    run(["service", "users", "list", "--fields", "id"]).trim(),
  ]);
  run(["import", season, "-c", "Season", "--yes"]);
  const certificate = createCertificate(folder);
  const flags = ["--db", `sqlite:${database}`, "--rate-limit", "off"];
  const start = (more) => startService(program, { node, env, sample: false, flags: [...flags, ...more] });
  const http = await start([]);
  const https = await start(["--tls-cert", certificate.cert, "--tls-key", certificate.key]);
  const client = (baseUrl) => ({ ...env, CALCTL_BASE_URL: baseUrl, CALCTL_TOKEN: token });
  return {
    local: env,
    http: client(http.base_url),
    https: { ...client(https.base_url), NODE_EXTRA_CA_CERTS: certificate.cert },
    token,
    season,
    certificate: certificate.cert,
    calendarIds: new Map(JSON.parse(run(["calendars", "-o", "json"])).map(({ name, id }) => [name, id])),
    khal: (size) => configureKhal(join(folder, `khal-${size}`), run(weekOf(size, "ics"))),
    async stop() {
      await http.stop();
      await https.stop();
    },
  };
}

/** 10,000 events of 300 days: more in one week are more than the service lists. @returns the path */
function writeSeason(path) {
  const lines = Array.from({ length: 10_000 }, (_, index) => {
    const day = Date.UTC(2027, 0, 1 + (index % 300));
    const time = (hour) => new Date(day + hour * 3_600_000).toISOString();
    const texts = { title: `Training ${index}`, location: "Gym", description: "Bring shoes and water" };
    return JSON.stringify({ id: `${index}@club.example`, start_at: time(18), end_at: time(20), ...texts });
  });
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

export function weekOf(size, format) {
  return ["events", "list", "--days", "7", "-c", String(size), "-o", format];
}

function createCertificate(folder) {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
  ];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  execute("openssl", [...kind, ...subject, "-keyout", key, "-out", cert], {});
  return { key, cert };
}

/** khal keeps a file for each event. @returns the path of its configuration */
function configureKhal(folder, ics) {
  const events = join(folder, "events");
  mkdirSync(events, { recursive: true });
  const [head, ...rest] = ics.split("BEGIN:VEVENT\r\n");
  for (const [index, text] of rest.entries()) {
    const [event] = text.split("END:VEVENT\r\n");
    const file = `${head}BEGIN:VEVENT\r\n${event}END:VEVENT\r\nEND:VCALENDAR\r\n`;
    writeFileSync(join(events, `${index}.ics`), file);
  }
  const path = join(folder, "config");
  writeFileSync(
    path,
    `[calendars]\n[[week]]\npath = ${events}\n[sqlite]\npath = ${join(folder, "khal.db")}\n[locale]\nlocal_timezone = UTC\ndefault_timezone = UTC\n`,
  );
  return path;
}

/** @returns whether a program can be found */
export function isInstalled(name) {
  return spawnSync("bash", ["-c", `command -v ${name}`], { stdio: "ignore" }).status === 0;
}

/** `v20.20.2`, of a Node. */
export function versionOf(node) {
  return spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
}

/** The machine in a few words. */
export function describeMachine() {
  const model =
    /^model name\s*: (.*)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1] ?? "unknown processor";
  return model.trim();
}

function execute(command, args, options) {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", ...options });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr}`);
}
