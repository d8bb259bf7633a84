import { type FaultServer, startFaultServer } from "./fault-server.js";
import { reply } from "./fault-steps.js";
import { createHarness, type Harness, type HarnessOptions, type RunResult } from "./harness.js";

/** The profile `local` in use, and a webhook of the kind `json` that accepts everything. */
export interface PostWorld extends Harness {
  readonly hook: FaultServer;
  /** Runs a command line with the webhook in its environment. */
  send(...argv: readonly string[]): Promise<RunResult>;
  /** The messages that the webhook received. */
  posted<T = Record<string, unknown>>(): readonly T[];
  /** Creates an event and returns its id. */
  create(title: string, ...flags: readonly string[]): Promise<string>;
}

export async function createPostWorld(options: HarnessOptions = {}): Promise<PostWorld> {
  const harness = await createHarness(options);
  const hook = await startFaultServer({ timers: harness.timers });
  hook.otherwise([reply({ status: 200, headers: {}, body: "ok" })]);
  const env = {
    CALCTL_PROFILE: "local",
    CALCTL_WEBHOOK_URL: `${hook.baseUrl}/hook/s3cret`,
    CALCTL_STATE_DIR: `${harness.directory}/state`,
  };
  return {
    ...harness,
    hook,
    send: (...argv) => harness.runWith({ env }, ...argv),
    posted: () => hook.requests.map(({ body }) => JSON.parse(body.toString("utf8"))),
    async create(title, ...flags) {
      return (await harness.json<{ readonly id: string }>("events", "create", "--title", title, ...flags)).id;
    },
  };
}

/** Flags of an event today in Berlin, an hour long. @param time as in 15:00 */
export function todayAt(time: string): readonly string[] {
  return ["--start", `2026-11-21T${time}`, "--duration", "1h"];
}
