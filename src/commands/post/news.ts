import { CliError, isOutcomeUnknown } from "../../errors.js";
import { createChangesDigest, createTextMessage, type Message } from "../../messages/message.js";
import type { Target } from "../../messages/target.js";
import { describeDayRange } from "../../output/event-when.js";
import { changeView } from "../../output/views/change.js";
import { type News, withNews } from "../events/news.js";
import type { NewsFlags } from "../events/news-reading.js";
import { rangeOf } from "../events/print-events.js";
import { ledgerKey } from "./ledger-key.js";
import type { PostContext, PostOptions } from "./options.js";
import { postMessage, type SendMessage } from "./target.js";

/** A key is used until the next message under its name. */
const KEEP_DAYS = 400;

/**
 * Sends what is new since the last run under a name. It is remembered in the moment in which the message counts as sent.
 * If that is unknown, this is reported once, and later runs go on from there.
 */
export async function postNews(
  context: PostContext,
  options: PostOptions & NewsFlags,
  target: Target,
): Promise<void> {
  await withNews(context, options, async (news) => {
    try {
      await deliver(context, { news, options, target });
    } catch (error) {
      // It says more than what could not be read, which is still named on stderr.
      throw reportBeside(error, news);
    }
    news.reportFailures();
  });
}

function reportBeside(error: unknown, { reportFailures }: News): unknown {
  try {
    reportFailures();
  } catch (failure) {
    if (failure instanceof CliError && failure.code === "interrupted") return failure;
  }
  return error;
}

interface Delivery {
  readonly news: News;
  readonly options: PostOptions;
  readonly target: Target;
}

async function deliver(context: PostContext, { news, options, target }: Delivery): Promise<void> {
  if (news.changes.length === 0 && options.ifEmpty !== "say") {
    await news.remember();
    if (context.terminal.isTerminal) context.output.note("nothing is new: nothing was posted");
  } else {
    const ledger = await context.messages.ledger();
    const { remembered: remember, revision } = news;
    // The same news have the same key, until they are remembered.
    const key = ledgerKey(context, "news", { name: remember.name, revision });
    const message = createMessage(context, news, options.title);
    const sendMessage: SendMessage = (send) =>
      ledger.sendOnce(key, send, { keepDays: KEEP_DAYS, reportUnknownOnce: true, remember });
    try {
      await postMessage(context, message, { target, sendMessage });
    } catch (error) {
      if (error instanceof CliError && isOutcomeUnknown(error)) await ledger.acknowledge([key]);
      throw error;
    }
  }
}

function createMessage(
  { config, now, output }: Pick<PostContext, "config" | "now" | "output">,
  { changes, calendars, days }: News,
  title: string | undefined,
): Message {
  const { timezone: zone } = config.settings();
  const [calendar, another] = calendars;
  const name = another === undefined ? (calendar?.name ?? "") : "";
  const range = describeDayRange(days, { year: false });
  const heading = title ?? `${name === "" ? "" : `${name}: `}Changes, ${range}`;
  const listed = changes.map(({ change, event }) => ({ ...event, change, event }));
  const text = changes.length === 0 ? null : output.template(changeView, listed);
  if (text !== null) return createTextMessage(heading, text);
  const showCalendar = calendars.length > 1;
  return createChangesDigest(changes, {
    title: heading,
    zone,
    now: now(),
    range: rangeOf(days),
    showCalendar,
  });
}
