import type { LocalizedEvent } from "../../calendar/event-view.js";
import { emptyValueError, usageError } from "../../errors.js";
import { createReminder, type ReminderOptions } from "../../messages/message.js";
import { renderMessage } from "../../messages/render.js";
import type { Target } from "../../messages/target.js";
import { jsonObject, keysOf, textOf } from "../../output/view.js";
import { eventView } from "../../output/views/event.js";
import type { RemindContext, RemindOptions } from "./options.js";
import { createProgramRunner, type ProgramCall } from "./programs.js";

/** What an event is announced to. */
export interface Announcer {
  /** The same in every run. */
  readonly id: string;
  /** @throws CliError when it failed; a certain failure is tried again at the next run */
  announce(event: LocalizedEvent, options: Pick<ReminderOptions, "showCalendar">): Promise<void>;
}

/** The program, or the target of messages. @throws CliError usage, not_found, configuration */
export async function createAnnouncer(context: RemindContext, options: RemindOptions): Promise<Announcer> {
  const { program: words, post, as, chat } = options;
  const [program, ...args] = words;
  if (program === undefined) {
    const webhooks = await context.messages.webhooks();
    return targetAnnouncer(context, await webhooks.open({ to: post, flag: "--post", as, chat }));
  }
  if (post !== undefined || as !== undefined)
    throw usageError("give either a program or a target of messages, not both");
  if (chat !== undefined) throw usageError("--chat: a program has no chat");
  if (program === "") throw emptyValueError("the program");
  const runProgram = createProgramRunner(context.machine, context.output.warn);
  return {
    id: `run ${JSON.stringify(words)}`,
    announce: (event) => runProgram(programCall(program, args, event)),
  };
}

function targetAnnouncer({ config, now }: RemindContext, target: Target): Announcer {
  return {
    id: `post ${target.id}`,
    async announce(event, { showCalendar }) {
      const message = createReminder(event, { zone: config.settings().timezone, now: now(), showCalendar });
      await target.deliver(await renderMessage(target.kind, message, { ...target, now: now() }));
    },
  };
}

/** The event as JSON on stdin, and each key as a variable: lists and objects as tsv has them. */
function programCall(program: string, args: readonly string[], event: LocalizedEvent): ProgramCall {
  const variables = keysOf(eventView).map((key) => [
    `CALCTL_EVENT_${key.toUpperCase()}`,
    textOf(eventView, key, event),
  ]);
  return {
    program,
    args,
    input: `${JSON.stringify(jsonObject(eventView, event))}\n`,
    variables: Object.fromEntries(variables),
  };
}
