import { createProgramRunner, eventVariables } from "../../cli/run-program.js";
import type { Payload, Target, TargetFlags } from "../../delivery/target.js";
import { emptyValueError, usageError } from "../../errors.js";
import { nameEvent } from "../../events/find/event-ids.js";
import type { FilterFlags } from "../../events/find/event-query.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import { eventView } from "../../events/views/event.js";
import { jsonObject } from "../../output/view.js";
import type { Run } from "../../run/run.js";
import type { OutgoingMessage } from "../../state/sent.js";
import { createReminder, type ReminderOptions } from "./message.js";
import { attachSeries, type MessageFlags, targetRequest } from "./post-target.js";
import { composeOutgoing } from "./render.js";

/** The flags and the arguments of `remind`, as typed. */
export interface RemindOptions extends FilterFlags, TargetFlags, MessageFlags {
  readonly before?: string;
  readonly grace?: string;
  readonly allDayAt?: string;
  readonly search?: string;
  /** A saved target, or addresses of mail. */
  readonly post?: string;
  readonly again?: boolean;
  readonly atLeastOnce?: boolean;
  /** The program and its arguments. */
  readonly program: readonly string[];
}

/** What an event is announced to. */
export interface ReminderSink {
  /** The same in every run. */
  readonly id: string;
  /** Whether events that start at the same time are announced together. */
  readonly groupsByStart: boolean;
  /** Makes the announcement; a certain failure of its `send` is tried again at the next run. */
  compose(
    events: readonly LocalizedEvent[],
    options: Pick<ReminderOptions, "showCalendar">,
  ): Promise<Announcement>;
}

interface Announcement extends OutgoingMessage {
  /** What is posted; null for a program. */
  readonly payload: Pick<Payload, "contentType" | "body"> | null;
}

/** The program, or the target of messages. @throws CliError usage, not_found, configuration */
export async function createReminderSink(run: Run, options: RemindOptions): Promise<ReminderSink> {
  const { program: words, post, as } = options;
  const [program, ...args] = words;
  if (program === undefined) {
    const targets = await run.targets();
    return targetSink(run, await targets.open({ ...targetRequest(options), to: post, flag: "--post" }));
  }
  if (post !== undefined || as !== undefined)
    throw usageError("give either a program or a target of messages, not both");
  const flag = MESSAGE_FLAGS.find(([, name]) => options[name] !== undefined)?.[0];
  if (flag !== undefined) throw usageError(`${flag}: only messages support this flag`);
  if (program === "") throw emptyValueError("the program");
  const again = "check what it has done";
  const runProgram = createProgramRunner(run.machine, { warn: run.output.warn, again });
  return {
    id: `run ${JSON.stringify(words)}`,
    groupsByStart: false,
    compose: async (events) => ({
      command: "remind",
      target: program,
      what: events.map(nameEvent).join(", "),
      payload: null,
      async send() {
        for (const event of events) {
          const input = `${JSON.stringify(jsonObject(eventView, event))}\n`;
          await runProgram({ program, args, input, variables: eventVariables(event) });
        }
      },
    }),
  };
}

const MESSAGE_FLAGS = [
  ["--chat", "chat"],
  ["--topic", "topic"],
  ["--mention", "mention"],
  ["--ics", "ics"],
] as const;

function targetSink(run: Run, target: Target): ReminderSink {
  return {
    id: `post ${target.id}`,
    groupsByStart: true,
    async compose(events, { showCalendar }) {
      const { config, now } = run;
      const message = createReminder(events, { zone: config.settings().timezone, now: now(), showCalendar });
      const complete = await attachSeries(run, message, target);
      return composeOutgoing(complete, target, { command: "remind", now: now() });
    },
  };
}
