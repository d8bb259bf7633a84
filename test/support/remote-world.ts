import { type FaultServer, startFaultServer } from "./fault-server.js";
import { byService, reply } from "./fault-steps.js";
import { type Begun, type Harness, type HarnessOptions, harnessesWith, type RunResult } from "./harness.js";

/** The program against a service behind a fault server, with a calendar, an event in it, and a token. */
export interface RemoteWorld extends Harness {
  /** Passes requests without a script to the service. */
  readonly server: FaultServer;
  readonly env: Readonly<Record<string, string>>;
  readonly calendarId: string;
  readonly eventId: string;
  /** Runs a command line against the server. */
  send(...argv: readonly string[]): Promise<RunResult>;
}

const beginRemote = async ({ service, json }: Harness) => {
  const { token } = await service.admin.tokens.create({ user: "ana", readOnly: false });
  const event = await json<{ readonly id: string; readonly calendar_id: string }>(
    ...["events", "create", "--title", "Lunch", "--start", "2026-11-21T12:00", "--duration", "1h"],
  );
  return { token, calendarId: event.calendar_id, eventId: event.id };
};

/** Creates worlds with the same contents, as `harnessesWith` creates harnesses. */
export function remoteWorldsWith<T>(
  begin: (harness: Harness) => Promise<T>,
): (options?: HarnessOptions) => Promise<RemoteWorld & Begun<T>> {
  const createHarness = harnessesWith(async (harness) => ({
    ...(await beginRemote(harness)),
    begun: await begin(harness),
  }));
  return async (options) => {
    const { token, begun, ...harness } = await createHarness(options);
    const server = await startFaultServer({ timers: harness.timers });
    server.otherwise([reply(byService(harness.service))]);
    const env = { CALCTL_BASE_URL: server.baseUrl, CALCTL_TOKEN: token };
    const send: RemoteWorld["send"] = (...argv) => harness.runWith({ env }, ...argv);
    return { ...harness, server, env, send, ...(begun as Begun<T> & object) };
  };
}

export const createRemoteWorld = remoteWorldsWith(async () => undefined);
