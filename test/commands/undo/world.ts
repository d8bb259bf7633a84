import { type Harness, harnessesWith, type RunResult } from "../../support/harness.js";
import { startWireRecorder, type WireRecorder } from "../../support/wire-recorder.js";

/** Ana and Ben, and the calendars Family and Work that both are members of. */
export interface UndoWorld extends Harness {
  readonly wire: WireRecorder;
  readonly family: string;
  /** Runs a command line against a socket. */
  send(...argv: readonly string[]): Promise<RunResult>;
  /** Runs a command a minute after the last one. */
  step(...argv: readonly string[]): Promise<RunResult>;
  create(title: string, ...flags: readonly string[]): Promise<Event>;
  read(id: string): Promise<Event>;
  /** Every event with times, of both. */
  list(): Promise<readonly Event[]>;
  /** What `undo --list` lists. */
  undoable(): Promise<readonly Event[]>;
}

export interface Event {
  readonly id: string;
  readonly title: string;
  readonly calendar_id: string;
  readonly calendar_name: string;
  readonly [key: string]: unknown;
}

const createHarness = harnessesWith(async ({ service: { admin } }) => {
  await admin.users.add({ name: "Ben" });
  const { id: family } = await admin.calendars.add({ name: "Family", owner: "ana" });
  await admin.calendars.add({ name: "Work", owner: "ana" });
  for (const name of ["Family", "Work"]) await admin.members.add("Ben", name);
  const { token } = await admin.tokens.create({ user: "ana", readOnly: false });
  return { family, token };
});

export async function createUndoWorld(): Promise<UndoWorld> {
  const { token, ...harness } = await createHarness();
  const wire = await startWireRecorder(harness.service);
  const env = { CALCTL_BASE_URL: wire.baseUrl, CALCTL_TOKEN: token };
  return {
    ...harness,
    wire,
    send: (...argv) => harness.runWith({ env }, ...argv),
    step(...argv) {
      harness.setNow(harness.now() + 60_000);
      return harness.run(...argv);
    },
    async create(title, ...flags) {
      const times = ["--start", "2026-11-23T12:00", "--duration", "1h"];
      return harness.json<Event>("events", "create", "-c", "Family", "--title", title, ...times, ...flags);
    },
    read: (id) => harness.json<Event>("events", "get", id),
    list: () => harness.json<Event[]>("events", "list", "-A", "--from", "2026-11-01", "--to", "2027-12-31"),
    undoable: () => harness.json<Event[]>("undo", "--list"),
  };
}
