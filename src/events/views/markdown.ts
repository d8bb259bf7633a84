import { escapeMarkdown } from "../../output/formats/markdown.js";
import type { Day } from "../day-list.js";
import type { LocalizedEvent } from "../localized-event.js";
import { describeEntry, type EntryOptions, headingOf } from "./days.js";

/** Days as headings with their events as bullet lists. */
export function renderDaysAsMarkdown(days: readonly Day<LocalizedEvent>[], options: EntryOptions): string {
  const blocks = days.map(({ date, entries }) => {
    const bullets = entries.map((entry) => {
      const { time, title, location, calendar } = describeEntry(entry, date, options);
      const parts = [
        time === "" ? "" : `**${escapeMarkdown(time)}**`,
        escapeMarkdown(title),
        location === "" ? "" : `(${escapeMarkdown(location)})`,
        calendar === "" ? "" : `– ${escapeMarkdown(calendar)}`,
      ];
      return `- ${parts.filter((part) => part !== "").join(" ")}\n`;
    });
    return `## ${escapeMarkdown(headingOf(date, options))}\n\n${bullets.join("") || "No events\n"}`;
  });
  return blocks.join("\n");
}
