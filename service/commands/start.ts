import { type Command, Option } from "commander";
import { addAction, describeCommand, type RunOf } from "../../src/cli/command.js";
import { CliError, usageError } from "../../src/errors.js";
import { JSON_LINE } from "../../src/output/views/plain.js";
import type { Run } from "../../src/run/run.js";
import { parseDuration } from "../../src/time/dates.js";
import { serve } from "../access/serve.js";
import type { MetricsAddress } from "../metrics.js";
import type { LogFormat } from "../request-log.js";
import { LISTENING } from "../views/service.js";
import { addDatabaseFlag, type DatabaseFlag } from "./admin-command.js";

/** Flags as typed. */
interface ServiceStartOptions extends DatabaseFlag {
  readonly host?: string;
  readonly port?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly publicUrl?: string;
  readonly trustProxy?: string;
  readonly rateLimit?: string;
  readonly log?: LogFormat;
  /** False for `--no-public-client`. */
  readonly publicClient?: boolean;
  readonly metrics?: string;
  readonly memory?: boolean;
  readonly sample?: boolean;
}

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = "8787";
const LOG_FORMATS: readonly LogFormat[] = ["json", "text", "off"];
const DEFAULT_RATE_LIMIT = "600/10m";

export function registerServiceStart(command: Command, runOf: RunOf): void {
  command
    .optionsGroup("Listening")
    .option("--port <number>", `port, 0 for any free one (default: ${DEFAULT_PORT})`)
    .option("--host <address>", `address to listen on (default: ${DEFAULT_HOST})`)
    .option("--tls-cert <file>", "file with the certificate chain, PEM")
    .option("--tls-key <file>", "file with the private key, PEM")
    .option("--public-url <url>", "URL for clients, if the service is behind a proxy")
    .option("--trust-proxy <address>", "address of a proxy whose X-Forwarded-For header is trusted");
  addDatabaseFlag(command.optionsGroup("Data"))
    .option("--memory", "keep the database in memory")
    .option("--sample", "add two users, two calendars and events to an empty database")
    .optionsGroup("Limits and logs")
    .option("--rate-limit <n/window|off>", `requests per window (default: ${DEFAULT_RATE_LIMIT})`)
    .addOption(
      new Option(
        "--log <format>",
        "log one line per request on stderr; off logs only failures (default: off)",
      ).choices(LOG_FORMATS),
    )
    .option("--no-public-client", "let only registered OAuth clients sign users in")
    .option(
      "--metrics <host:port>",
      "serve Prometheus metrics at this address; a port alone means 127.0.0.1",
    );
  describeCommand(command, {
    prints: { view: LISTENING, count: "one", formats: ["json", "ndjson"] },
    examples: () => [
      [
        "Try a client, with sample users and events that are lost when it ends",
        "calctl service start --memory --sample --port 8788",
      ],
      [
        "Serve the calendars of the profile local to programs on this machine",
        "calctl service start --log text --port 8787",
      ],
      [
        "Serve metrics at http://127.0.0.1:9464/metrics, too",
        "calctl service start --metrics 9464 --port 8789",
      ],
    ],
  });
  addAction(command, runOf, runServiceStart);
}

/** Serves until SIGTERM, SIGINT or SIGHUP, then finishes open requests and exits with 0. */
async function runServiceStart(run: Run, flags: ServiceStartOptions): Promise<void> {
  const format = run.output.format();
  if (flags.memory === true && flags.db !== undefined)
    throw usageError("give either --memory or --db, not both");
  await serve(run, {
    database: flags.db,
    memory: flags.memory === true,
    sample: flags.sample === true,
    rateLimit: parseRateLimitFlag(flags.rateLimit ?? DEFAULT_RATE_LIMIT),
    log: flags.log ?? "off",
    publicClient: flags.publicClient !== false,
    metrics: flags.metrics === undefined ? null : parseMetricsAddress(flags.metrics),
    listen: {
      host: flags.host ?? DEFAULT_HOST,
      port: parsePort(flags.port ?? DEFAULT_PORT),
      ...(flags.publicUrl === undefined ? {} : { publicUrl: flags.publicUrl }),
      ...(flags.trustProxy === undefined ? {} : { trustProxy: flags.trustProxy }),
    },
    tls: parseTls(flags),
    onListening: async ({ sample, ...addresses }) => {
      const { base_url: url, auth_url: authUrl, listen } = addresses;
      const where = flags.publicUrl === undefined ? url : `${listen} for ${url}`;
      if (addresses.metrics_url !== undefined) run.output.warn(`metrics at ${addresses.metrics_url}`);
      run.output.warn(`users sign in at ${authUrl}`);
      run.output.warn(`listening on ${where}, press Ctrl-C to stop`);
      if (format === "json" || format === "ndjson") {
        await run.output.of(JSON_LINE).print({ ...addresses, ...sample });
      } else if (sample !== null) {
        const { SAMPLE_DOCUMENT } = await import("../views/sample.js");
        await run.output.of(SAMPLE_DOCUMENT).print(sample);
      }
    },
  });
}

function parsePort(text: string): number {
  const port = readPort(text);
  if (port !== null) return port;
  throw usageError(`--port: "${text}" is not a port`, "write 0 to 65535, 0 for any free one");
}

function readPort(text: string): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}

/** `HOST:PORT`, `[IPV6]:PORT`, or a port alone for this machine. */
function parseMetricsAddress(text: string): MetricsAddress {
  const [, host = DEFAULT_HOST, digits = ""] = /^(?:(\[[^\]]+\]|[^:[\]]+):)?(\d+)$/.exec(text) ?? [];
  const port = readPort(digits);
  if (port !== null) return { host, port };
  throw usageError(
    `--metrics: "${text}" is not an address`,
    "write HOST:PORT, [IPV6]:PORT or a port of this machine such as 9464; port 0 is any free one",
  );
}

/** `600/10m`: requests per window; null for `off`. */
function parseRateLimitFlag(text: string): { readonly limit: number; readonly windowSeconds: number } | null {
  if (text === "off") return null;
  const [, limit, window] = /^(\d{1,9})\/(.+)$/.exec(text) ?? [];
  if (limit === undefined || window === undefined || Number(limit) === 0) throw invalidRateLimit(text);
  try {
    const { minutes, days } = parseDuration(window, "--rate-limit");
    return { limit: Number(limit), windowSeconds: (days * 1440 + minutes) * 60 };
  } catch (cause) {
    // Its hint is about durations only.
    throw cause instanceof CliError ? invalidRateLimit(text) : cause;
  }
}

function invalidRateLimit(text: string): CliError {
  return usageError(
    `--rate-limit: "${text}" is not a valid rate limit`,
    "write REQUESTS/WINDOW such as 600/10m, the window in minutes, hours or days, or off",
  );
}

function parseTls({ tlsCert: cert, tlsKey: key }: ServiceStartOptions) {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined) throw usageError("missing --tls-cert, which --tls-key needs");
  if (key === undefined) throw usageError("missing --tls-key, which --tls-cert needs");
  return { cert, key };
}
