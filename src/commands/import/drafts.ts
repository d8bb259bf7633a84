import type { EventDraft } from "../../../contract/shapes.js";
import { nullOn } from "../../errors.js";
import type { ChosenCalendar } from "../../events/find/calendar-choice.js";
import type { Named } from "../../events/names.js";
import { createRelatedResolver, DEFAULT_LABEL } from "../../events/related.js";
import type { Run } from "../../run/run.js";
import type { ImportEvent } from "./plan.js";

export type Drafter = Awaited<ReturnType<typeof createDrafter>>;

/**
 * Makes drafts of a file's events. A label that the calendar does not have becomes the given one, and who is no member is
 * left out; `notes` says so, once each.
 * @param given the label of events without one: by default the profile's, then the default label
 * @throws CliError not_found for a given label that the calendar does not have
 */
export async function createDrafter(run: Run, calendar: ChosenCalendar, given: string | undefined) {
  const named = given === undefined ? undefined : { value: given, source: "--label" };
  const preset = named ?? run.config.settings().setting("label");
  const resolver = createRelatedResolver(run, calendar.id);
  const presetId = (preset && (await resolver.labelId(preset))) ?? DEFAULT_LABEL;
  const presetName = named === undefined ? "the default one" : "that of --label";
  const place = calendar.name || calendar.id;
  /** By name or composite id. */
  const labels = new Map<string, string>();
  const noLabels = new Set<string>();
  /** Null for who is no member, or for several of a name. */
  const attendees = new Map<string, string | null>();
  const findLabel = async (label: Named): Promise<void> => {
    if (labels.has(keyOf(label))) return;
    const id = await resolver.labelId(label).catch(nullIfUnclear);
    labels.set(keyOf(label), id ?? presetId);
    if (id === null) noLabels.add(label.value);
  };
  const findAttendee = async (named: Named): Promise<void> => {
    if (attendees.has(named.value)) return;
    const ids = await resolver.attendeeIds([named]).catch(nullIfUnclear);
    attendees.set(named.value, ids?.[0] ?? null);
  };
  return {
    /** Finds the labels and attendees of an event, which `draftOf` needs. Each is looked for once. */
    async prepare({ content: { label, attendees: named = [] } }: ImportEvent): Promise<void> {
      if (label !== undefined) await findLabel(label);
      for (const each of named) await findAttendee(each);
    },
    draftOf({ content: { label, attendees: named, ...content } }: ImportEvent): EventDraft {
      const labelId = (label && labels.get(keyOf(label))) ?? presetId;
      const ids = named && [...new Set(named.flatMap(({ value }) => attendees.get(value) ?? []))];
      return { ...content, label: labelId, attendees: ids };
    },
    notes(): readonly string[] {
      const unknown = [...noLabels].join(", ");
      const others = [...attendees].flatMap(([name, id]) => (id === null ? [name] : [])).join(", ");
      return [
        ...(unknown === "" ? [] : [`${place} has no label ${unknown}: these events get ${presetName}`]),
        ...(others === "" ? [] : [`left out, as no members of ${place}: ${others}`]),
      ];
    },
  };
}

function keyOf({ value, printed }: Named): string {
  return printed?.id ?? value;
}

/** For `catch`: null where a name means nothing, or several have it. */
const nullIfUnclear = nullOn("not_found", "usage");
