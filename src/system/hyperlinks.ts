import { createSupportsHyperlinks } from "supports-hyperlinks";

/** Whether the terminal of stdout shows links (OSC 8). FORCE_HYPERLINK decides for a terminal that is not known. */
export function supportsHyperlinks(): boolean {
  return createSupportsHyperlinks({ isTTY: true });
}
