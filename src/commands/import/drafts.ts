import type { EventDraft } from "../../../contract/shapes.js";
import type { Context } from "../../context.js";
import { CliError } from "../../errors.js";
import type { ImportEvent } from "../../import/plan.js";
import type { ChosenCalendar } from "../calendar-choice.js";
import { createRelatedResolver, DEFAULT_LABEL } from "../events/event-flags.js";

interface DrafterOptions {
  readonly calendar: ChosenCalendar;
  /** `--label`: of events without one. By default the profile's, then the default label. */
  readonly label: string | undefined;
}

export type Drafter = Awaited<ReturnType<typeof createDrafter>>;

/**
 * Makes drafts of a file's events. Labels and members are read once; a label that the calendar does not have becomes that of
 * `label`, and who is no member is left out. `notes` says so, once each.
 * @throws CliError not_found for a `label` that the calendar does not have
 */
export async function createDrafter(
  context: Pick<Context, "api" | "config">,
  { calendar, label: given }: DrafterOptions,
) {
  const named = given === undefined ? undefined : { value: given, source: "--label" };
  const preset = named ?? context.config.settings().setting("label");
  const resolver = createRelatedResolver(context, calendar.id);
  const presetId = preset === undefined ? DEFAULT_LABEL : await resolver.labelId(preset);
  const place = calendar.name || calendar.id;
  const [labels, attendees] = [new Map<string, string | null>(), new Map<string, string | null>()];
  const labelOf = ({ label }: ImportEvent): Promise<string | null> | string => {
    if (label === undefined) return presetId;
    if (typeof label === "object") return resolver.printedLabelId(label);
    return known(labels, label, () => resolver.labelId({ value: label, source: "label" }));
  };
  const idsOf = async (values: readonly string[]): Promise<readonly string[]> => {
    const one = (value: string) => ({ values: [value], source: "attendees", others: [] });
    const ids = new Set<string>();
    for (const value of values) {
      const id = await known(attendees, value, async () => (await resolver.attendeeIds(one(value)))?.[0]);
      if (id !== null) ids.add(id);
    }
    return [...ids];
  };
  return {
    async draftOf(event: ImportEvent): Promise<EventDraft> {
      const label = await labelOf(event);
      if (label === null && typeof event.label === "object")
        labels.set(event.label.name || String(event.label.number), null);
      const ids = event.attendees === undefined ? undefined : await idsOf(event.attendees);
      return { ...event.content, label_id: label ?? presetId, attendee_ids: ids };
    },
    notes(): readonly string[] {
      const [noLabels, noMembers] = [missing(labels), missing(attendees)];
      return [
        ...(noLabels === "" ? [] : [`${place} has no label ${noLabels}: these events get the default one`]),
        ...(noMembers === "" ? [] : [`left out, as no members of ${place}: ${noMembers}`]),
      ];
    },
  };
}

/** The id of a name, asked for once; null where there is none, or several have it. */
async function known(
  ids: Map<string, string | null>,
  name: string,
  find: () => Promise<string | undefined>,
): Promise<string | null> {
  const found = ids.get(name);
  if (found !== undefined) return found;
  const id = await find().catch((error: unknown) => {
    if (error instanceof CliError && (error.code === "not_found" || error.code === "usage")) return null;
    throw error;
  });
  ids.set(name, id ?? null);
  return id ?? null;
}

function missing(ids: ReadonlyMap<string, string | null>): string {
  return [...ids].flatMap(([name, id]) => (id === null ? [name] : [])).join(", ");
}
