import type { RunResult } from "../support/harness.js";
import type { RemoteWorld } from "../support/remote-world.js";
import type { Claims } from "./claims.js";
import type { Draw } from "./draw.js";

/** Commands as scripts and people mix them. */
export interface Commands {
  /** Runs one more, and notes what its exit code claims. */
  next(): Promise<void>;
  /** How often a command ended with each exit code. */
  readonly exitCodes: Readonly<Record<number, number>>;
  /** What no command may do, however the service behaves: a line each. */
  readonly complaints: readonly string[];
}

export interface CommandsOptions {
  readonly claims: Claims;
  readonly draw: Draw;
}

/** Longest attempt: nobody waits for a service that hangs. */
const TIMEOUT = "0.25";

/** What a service can bring any command to. */
const FAILED = [4, 6, 7, 8, 11];

const READ_CODES = [0, 12, ...FAILED];
const CREATE_CODES = [0, 9, ...FAILED];
const CHANGE_CODES = [0, 5, ...FAILED];
const COMMENT_CODES = [0, 5, 9, ...FAILED];

export function createCommands(world: RemoteWorld, { claims, draw }: CommandsOptions): Commands {
  const exitCodes: Record<number, number> = {};
  const complaints: string[] = [];
  const calendar = ["-c", world.calendarId];
  let names = 0;
  const name = (what: string): string => {
    names += 1;
    return `${what} ${names}`;
  };

  const send = async (allowed: readonly number[], ...argv: readonly string[]): Promise<RunResult> => {
    const result = await world.send(...argv, "--timeout", TIMEOUT, ...patience(draw));
    exitCodes[result.exitCode] = (exitCodes[result.exitCode] ?? 0) + 1;
    const complaint = complaintOf(result, allowed);
    if (complaint !== null) complaints.push(`calctl ${argv.join(" ")}: ${complaint}\n${result.stderr}`);
    return result;
  };

  const create = async (): Promise<void> => {
    const marker = name("event");
    const fields = ["--title", marker, "--description", marker, "--start", "2026-11-21T20:00"];
    const key = draw.chance(0.5) ? ["--key", marker] : [];
    const attempt = () =>
      send(
        CREATE_CODES,
        ...["events", "create", ...calendar, ...fields, ...key, "--duration", "1h", "-o", "json"],
      );
    let result = await attempt();
    // With a key, exit 8 is safe to repeat, and may have created it.
    const leavesOpen = (exitCode: number) => exitCode === 9 || (exitCode === 8 && key.length > 0);
    let isUnknown = leavesOpen(result.exitCode);
    // With a key, as a script repeats it.
    for (let left = 3; left > 0 && key.length > 0 && result.exitCode !== 0; left -= 1) {
      result = await attempt();
      isUnknown ||= leavesOpen(result.exitCode);
    }
    const { exitCode, stdout } = result;
    const id = exitCode === 0 ? JSON.parse(stdout).id : null;
    claims.created(marker, isUnknown && exitCode !== 0 ? 9 : exitCode, id);
  };
  const change = async (): Promise<void> => {
    const event = draw.pick(claims.reachable);
    const title = name(`${event.marker}, change`);
    const { exitCode } = await send(
      CHANGE_CODES,
      ...["events", "update", event.id, ...calendar, "--title", title],
    );
    claims.updated(event, title, exitCode);
  };
  const remove = async (): Promise<void> => {
    const event = draw.pick(claims.reachable);
    const { exitCode } = await send(CHANGE_CODES, ...["events", "delete", event.id, ...calendar, "--yes"]);
    claims.deleted(event, exitCode);
  };
  const comment = async (): Promise<void> => {
    const event = draw.pick(claims.reachable);
    const text = name("comment");
    const { exitCode } = await send(COMMENT_CODES, ...["comment", event.id, text, ...calendar]);
    claims.commented(event, text, exitCode);
  };
  const read = async (): Promise<void> => {
    const reads = [
      ["whoami"],
      ["calendars"],
      ["labels", ...calendar],
      ["members", ...calendar],
      ["events", "list", ...calendar, "--days", "3"],
      ["events", "get", world.eventId, ...calendar],
    ];
    await send(READ_CODES, ...draw.pick(reads));
  };

  return {
    async next() {
      const chosen = draw.below(100);
      if (chosen < 35 || claims.reachable.length === 0) await create();
      else if (chosen < 55) await change();
      else if (chosen < 70) await remove();
      else if (chosen < 80) await comment();
      else await read();
    },
    exitCodes,
    complaints,
  };
}

/** Some commands neither repeat nor wait. */
function patience(draw: Draw): readonly string[] {
  return [...(draw.chance(0.2) ? ["--retries", "0"] : []), ...(draw.chance(0.2) ? ["--max-wait", "0"] : [])];
}

function complaintOf({ exitCode, stdout, stderr }: RunResult, allowed: readonly number[]): string | null {
  if (!allowed.includes(exitCode)) return `exit ${exitCode} is none of ${allowed.join(", ")}`;
  if (/^ {4}at /m.test(stderr)) return "a stack trace";
  if (exitCode !== 0 && stdout !== "") return "it failed, and printed something";
  if (exitCode !== 0 && !/^(?:error: |\{"error":\{)/m.test(stderr)) return "it failed, and did not say why";
  return null;
}
