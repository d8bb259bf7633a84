import type { Command } from "commander";
import type { Feed } from "../../../contract/shapes.js";
import { addAction, addCommand, describeCommand, type RunOf, requireSubcommand } from "../../cli/command.js";
import { completeValues, neededChoice } from "../../cli/missing-values.js";
import { CliError, usageError } from "../../errors.js";
import { chooseCalendar, namedCalendars, resolveCalendars } from "../../events/find/calendar-choice.js";
import { checkId } from "../../events/names.js";
import { CREATED, INSTANT } from "../../events/views/calendar.js";
import type { View } from "../../output/view.js";
import type { Run } from "../../run/run.js";

export function registerFeeds(command: Command, runOf: RunOf): void {
  requireSubcommand(command);
  const add = addCommand(
    command,
    "add",
    "create a feed and print its secret address, which is shown only once",
  )
    .option("--name <name>", "name of the feed (default: the names of its calendars)")
    .option("--busy-only", "publish only busy times, without titles, all-day events and keeps");
  describeCommand(add, {
    prints: { view: feedView, count: "one" },
    examples: () => [
      ["A calendar on a phone", "calctl feeds add -c Family"],
      ["Busy times for colleagues", 'calctl feeds add -c Work -c Family --busy-only --name "Ana: busy"'],
      ["The address alone, for a script", "calctl feeds add -c Work --fields address"],
    ],
  });
  addAction(add, runOf, runFeedsAdd);
  const list = addCommand(command, "list", "list feeds, without their addresses");
  describeCommand(list, {
    prints: { view: feedView, count: "list" },
    examples: () => [
      ["All feeds, with the day of their last use", "calctl feeds list"],
      ["Names and last use, for a script", "calctl feeds list --fields name,last_used_at"],
    ],
  });
  addAction(list, runOf, runFeedsList);
  const remove = addCommand(command, "remove [id]", "remove a feed; its address stops working");
  describeCommand(remove, {
    examples: () => [
      ["Remove the newest feed", 'calctl feeds remove "$(calctl feeds list --fields id | tail -n 1)"'],
    ],
  });
  addAction(remove, runOf, runFeedsRemove);
}

interface AddOptions {
  readonly name?: string;
  readonly busyOnly?: boolean;
}

async function runFeedsAdd(run: Run, options: AddOptions): Promise<void> {
  const output = run.output.of(feedView);
  const { name, busyOnly = false } = options;
  if (name?.trim() === "") throw usageError("--name is empty", "leave it out, or write what programs show");
  const { timezone, service } = run.config.settings();
  const named = namedCalendars(run);
  const calendars = named.length > 1 ? await resolveCalendars(run, named) : [await chooseCalendar(run)];
  const calendarIds = calendars.map(({ id }) => id);
  const api = await run.api();
  const [first = ""] = calendarIds;
  if (!(await api.hasExtension("feeds", first))) throw noFeedsError();
  const isLocal = service.kind === "local";
  const feed = await api.createFeed({ name, calendarIds, busyOnly, timezone, isLocal });
  if (feed === null) throw noFeedsError();
  await output.print(nameCalendars(feed, calendars), `feed ${feed.id} was created`);
  run.output.note(
    "anyone with the address can see the feed: it is a web page, and with .ics added, a calendar",
  );
  // A service that others can reach has https.
  if (feed.address?.startsWith("http:") === true)
    run.output.note("the address is one of this machine, which no other can reach; see docs/feeds.md");
}

async function runFeedsList(run: Run): Promise<void> {
  const output = run.output.of(feedView);
  const feeds = await listFeeds(run);
  if (feeds.length === 0 && run.terminal.isTerminal) run.output.note("no feeds");
  const calendars = feeds.length === 0 ? [] : await (await run.api()).listCalendars();
  await output.print(feeds.map((feed) => nameCalendars(feed, calendars)));
}

async function runFeedsRemove(
  run: Run,
  { id: given }: { readonly id?: string },
  command: Command,
): Promise<void> {
  if (given !== undefined) checkId(given, "ID");
  const list = async () =>
    (await listFeeds(run)).map(({ id, name }) => ({ value: id, name: name ?? id, description: id }));
  const needed = { id: neededChoice(run, { name: "ID", given, noun: "Feed", list }) };
  const { id } = await completeValues(run.terminal.prompt, needed, { command });
  // A service without feeds answers as if there were no such feed.
  if (!(await listFeeds(run)).some((feed) => feed.id === id))
    throw new CliError("not_found", `there is no feed "${id}"`, { hint: "calctl feeds list shows the ids" });
  await (await run.api()).deleteFeed(id);
  run.output.note(`removed feed ${id}`);
}

async function listFeeds(run: Run): Promise<readonly Feed[]> {
  const feeds = await (await run.api()).listFeeds();
  if (feeds === null) throw noFeedsError();
  return feeds;
}

function noFeedsError(): CliError {
  return new CliError("rejected", "this service has no feeds", {
    hint: "feeds are an extension of the embedded service; see docs/feeds.md",
  });
}

/** Fills in the names of the calendars that can be seen. */
function nameCalendars(
  feed: Feed,
  calendars: readonly { readonly id: string; readonly name: string | null }[],
): Feed {
  const names = new Map(calendars.map(({ id, name }) => [id, name]));
  return { ...feed, calendars: feed.calendars.map(({ id }) => ({ id, name: names.get(id) ?? null })) };
}

/** A calendar of a feed. */
const feedCalendarView: View<Feed["calendars"][number]> = {
  noun: "calendar",
  shape: "feed_calendar",
  keys: {
    id: { type: "string" },
    name: { type: "string?", about: "null for one that can no longer be seen" },
  },
  tsv: ["id", "name"],
};

/** The feeds of the user. */
export const feedView: View<Feed> = {
  noun: "feed",
  shape: "feed",
  keys: {
    id: { type: "string" },
    name: { type: "string?", minWidth: 8 },
    calendars: {
      type: { list: feedCalendarView },
      text: ({ calendars }) => calendars.map(({ id, name }) => name || id).join(", "),
      minWidth: 8,
    },
    busy_only: { type: "boolean?", about: "whether it shows times alone" },
    ...CREATED,
    last_used_at: {
      type: "string?",
      about: `the day of the last use; ${INSTANT}`,
      header: "Last used",
      cell: ({ last_used_at: day }) => ({ text: day?.slice(0, 10) ?? "never" }),
    },
    address: { type: "string", about: "only when it was just made", optional: true },
  },
  tsv: ["id", "name", "calendars", "busy_only", "created_at", "last_used_at", "address"],
  table: ["name", "calendars", "busy_only", "last_used_at", "id", "address"],
};
