import type { PlannedRequest } from "../../api/dry-run.js";
import { jsonText, renderCsvPairs, renderJson, renderTsvPairs } from "../formats/data.js";
import { sanitizeLine } from "../sanitize.js";
import { type Document, type Rendering, textOf, type View } from "../view.js";

/** A view that prints only the value of one key, such as a token or a path; in JSON `{[key]: value}`. */
export function createValueView(key: string): View<Readonly<Record<string, string | null>>> {
  return { noun: key, shape: key, keys: { [key]: { type: "string?" } }, tsv: [key], draw: drawTexts };
}

function drawTexts<T>({ view, values, fields }: Rendering<T>): string {
  const texts = values.flatMap((value) => (fields ?? view.tsv).map((key) => textOf(view, key, value)));
  return texts.map((text) => `${sanitizeLine(text)}\n`).join("");
}

/** A view that prints one key and its value per line, including empty ones: `config list`, `status`. */
export function createPairsView<T>(view: Pick<View<T>, "noun" | "shape" | "keys" | "tsv">): View<T> {
  return {
    ...view,
    draw: async (rendering, drawing) => (await import("../formats/table.js")).drawFields(rendering, drawing),
    formats: {
      tsv: renderTsvPairs,
      csv: renderCsvPairs,
    },
  };
}

/** The writes of `--dry-run`: JSON in every format. */
export const requestView: View<PlannedRequest> = {
  noun: "request",
  shape: "request",
  keys: {
    method: { type: "string" },
    path: { type: "string", about: "below the base URL" },
    query: { type: "string{}" },
    body: { type: "any", about: "JSON; null without a body" },
  },
  tsv: [],
  formats: {
    table: renderJson,
    tsv: renderJson,
    csv: renderJson,
    markdown: renderJson,
    text: renderJson,
    ics: renderJson,
  },
};

/** JSON indented for reading. */
export const JSON_DOCUMENT: Document<unknown> = {
  render: (value, capabilities) => jsonText(value, capabilities),
  json: (value) => value,
};

/** JSON on one line. */
export const JSON_LINE: Document<unknown> = {
  render: (value, capabilities) => jsonText(value, capabilities, 0),
};

/** What is sent to the target of a message: JSON indented for reading, other text as it is. */
export const PAYLOAD_DOCUMENT: Document<{ readonly contentType: string; readonly body: string }> = {
  render: ({ contentType, body }, capabilities) => {
    if (contentType.startsWith("application/json")) return jsonText(JSON.parse(body), capabilities);
    return body.endsWith("\n") ? body : `${body}\n`;
  },
};

/** Text for reading, printed as it is. */
export const TEXT_DOCUMENT: Document<string> = { render: (text) => text };
