import { requireConfirmation } from "../../src/cli/command.js";
import { CliError, usageError } from "../../src/errors.js";
import { checkId } from "../../src/events/names.js";
import { calendarView, labelView, userView } from "../../src/events/views/calendar.js";
import type { ServiceAdmin } from "../admin/admin.js";
import type { CalendarChanges, CalendarContent } from "../admin/calendars.js";
import {
  adminCommand,
  choicesOf,
  type DatabaseFlag,
  needsCalendar,
  needsCalendarFlag,
  needsChange,
  needsName,
  needsOneOf,
  needsUser,
} from "./admin-command.js";
import { USER_ARGUMENT } from "./users.js";

const CALENDAR_ARGUMENT = "id, name or unique prefix of a name";

const add = adminCommand({
  name: "add [name]",
  summary: "add a calendar with ten labels",
  declare: (command) =>
    command
      .option("--owner <user>", "id, name or login of its first member (default: the only user)")
      .option("--calendar-color <#RRGGBB>", "color (default: the next one of the palette)"),
  prints: { view: calendarView, count: "one" },
  examples: [
    ["A calendar of one member", "calctl service calendars add Choir --owner Ben"],
    ["With a color of its own", 'calctl service calendars add Garden --owner Ben --calendar-color "#2ecc87"'],
  ],
  needs: { name: needsName },
  async run(open, { name, owner, calendarColor: color }: NewCalendar) {
    if (owner !== undefined) checkId(owner, "--owner");
    return (await open()).calendars.add({ name, owner, color });
  },
  completed: ({ id }) => `calendar ${id} was added`,
});

interface NewCalendar {
  readonly name: string;
  /** Id, name or login of a user; the only one by default. */
  readonly owner?: string;
  readonly calendarColor?: string;
}

const set = adminCommand({
  name: "set",
  summary: "set name, color or description of a calendar",
  declare: (command) =>
    command
      .argument("[calendar]", CALENDAR_ARGUMENT)
      .option("--name <name>", "name")
      .option("--calendar-color <#RRGGBB>", "color")
      .option("--description <text>", "description; empty removes it"),
  prints: { view: calendarView, count: "one" },
  examples: [["Rename a calendar", 'calctl service calendars set Club --name "Chess club"']],
  needs: {
    calendar: needsCalendar("CALENDAR"),
    name: needsChange("--name, --calendar-color or --description", ["calendarColor", "description"]),
  },
  run: async (open, { calendar, calendarColor: color, name, description }: ChangedCalendar) =>
    (await open()).calendars.set(calendar, { name, color, description }),
  completed: ({ id }) => `calendar ${id} was set`,
});

interface ChangedCalendar extends Omit<CalendarChanges, "color"> {
  readonly calendar: string;
  readonly calendarColor?: string;
}

/** Removes a calendar, after a confirmation that shows what goes with it. */
const remove = adminCommand({
  name: "remove",
  summary: "remove a calendar and everything in it",
  declare: (command) =>
    command.argument("[calendar]", CALENDAR_ARGUMENT).option("-y, --yes", "skip the confirmation"),
  examples: [
    ["Remove a calendar and its events without confirmation", "calctl service calendars remove Club --yes"],
  ],
  needs: { calendar: needsCalendar("CALENDAR") },
  async run(open, { db, calendar, yes = false }: RemovedCalendar, { terminal, output, names }) {
    requireConfirmation(yes, terminal.prompt.available);
    const { calendars } = await open();
    const content = await calendars.inspect(calendar);
    if (!yes) {
      const members = content.calendar.members.map(({ name, id }) => name ?? id);
      output.warn(`  ${content.calendar.name}: ${eventCount(content)}, members: ${members.join(", ")}`);
      if (!(await terminal.prompt.confirm("Remove this calendar and everything in it?")))
        throw new CliError("interrupted", "nothing was removed");
    }
    const removed = await calendars.remove(content.calendar.id);
    // Completion would offer the calendar, its labels and its events.
    if (db === undefined) names.dropCache("local");
    return `calendar ${removed.calendar.name} removed, with ${eventCount(removed)}`;
  },
});

interface RemovedCalendar extends DatabaseFlag {
  readonly calendar: string;
  readonly yes?: boolean;
}

function eventCount({ events }: CalendarContent): string {
  return events === 1 ? "1 event" : `${events} events`;
}

const list = adminCommand({
  name: "list",
  summary: "list every calendar",
  prints: { view: calendarView, count: "list" },
  examples: [["The calendars of all users", "calctl service calendars list"]],
  run: async (open) => (await open()).calendars.list(),
});

export const calendarCommands = [add, set, remove, list];

interface Member {
  /** Name or id. */
  readonly user: string;
  readonly calendar: string;
}

const addMember = adminCommand({
  name: "add",
  summary: "add a user to --calendar",
  declare: (command) => command.argument("[user]", USER_ARGUMENT),
  prints: { view: userView, count: "one" },
  examples: [["Let a user see and change a calendar", "calctl service members add Caro -c Club"]],
  needs: { user: needsUser("USER"), calendar: needsCalendarFlag },
  run: async (open, { user, calendar }: Member) => (await open()).members.add(user, calendar),
  completed: ({ id }) => `${id} was added`,
});

const removeMember = adminCommand({
  name: "remove",
  summary: "remove a user from --calendar",
  declare: (command) => command.argument("[user]", USER_ARGUMENT),
  examples: [
    ["Remove a member (each calendar keeps at least one)", "calctl service members remove Dora -c Club"],
  ],
  needs: {
    calendar: needsCalendarFlag,
    user: needsOneOf({ name: "USER", noun: "Member", list: describeMembers }),
  },
  async run(open, { user, calendar }: Member) {
    const { name, id } = await (await open()).members.remove(user, calendar);
    return `${name ?? id} is no longer a member`;
  },
});

/** Administration names users by the part of a member's id that follows the calendar's. */
async function describeMembers({ members }: ServiceAdmin, calendar: string) {
  return choicesOf(
    (await members.list(calendar)).map(({ id, name }) => ({ id: id.replace(/^.*,/, ""), name })),
  );
}

const listMembers = adminCommand({
  name: "list",
  summary: "list the members of --calendar",
  prints: { view: userView, count: "list" },
  examples: [["The members of a calendar", "calctl service members list -c Club"]],
  needs: { calendar: needsCalendarFlag },
  run: async (open, { calendar }: Pick<Member, "calendar">) => (await open()).members.list(calendar),
});

export const memberCommands = [addMember, removeMember, listMembers];

const setLabel = adminCommand({
  name: "set",
  summary: "set name or color of a label of --calendar",
  declare: (command) =>
    command
      .argument("[number]", "1 to 10")
      .option("--name <name>", "name; empty removes it")
      .option("--label-color <#RRGGBB>", "color"),
  prints: { view: labelView, count: "one" },
  examples: [
    [
      "Give a label a name and a color",
      'calctl service labels set 3 -c Club --name Match --label-color "#e73b3b"',
    ],
  ],
  needs: {
    calendar: needsCalendarFlag,
    number: needsOneOf({ name: "NUMBER", noun: "Label", list: describeLabels }),
    name: needsChange("--name or --label-color", ["labelColor"]),
  },
  async run(open, { calendar, number, name, labelColor: color }: ChangedLabel) {
    if (!/^\d{1,3}$/.test(number))
      throw usageError(`NUMBER: "${number}" is not the number of a label`, "write 1 to 10");
    return (await open()).labels.set(calendar, Number(number), { name, color });
  },
  completed: ({ id }) => `label ${id} was set`,
});

interface ChangedLabel {
  readonly calendar: string;
  /** As typed. */
  readonly number: string;
  readonly name?: string;
  readonly labelColor?: string;
}

async function describeLabels({ calendars }: ServiceAdmin, chosen: string) {
  const { calendar } = await calendars.inspect(chosen);
  return calendar.labels.map(({ number, name, color }) => ({
    value: String(number),
    name: name === null || name === "" ? String(number) : `${number} ${name}`,
    color,
  }));
}

export const labelCommands = [setLabel];
