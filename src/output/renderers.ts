import type { Renderer } from "./rendering.js";
import { FORMATS, type Format } from "./view.js";

/** How to get each format's renderer; each is loaded when it is first needed. */
const RENDERERS: Readonly<Partial<Record<Format, () => Promise<Renderer>>>> = {
  table: async () => (await import("./formats/table.js")).renderTable,
  tsv: async () => (await import("./formats/tsv.js")).renderTsv,
  json: async () => (await import("./formats/json.js")).renderJson,
  ndjson: async () => (await import("./formats/ndjson.js")).renderNdjson,
};

/** The formats that every view has, in the order in which they are listed. */
export function availableFormats(): readonly Format[] {
  return FORMATS.filter((format) => RENDERERS[format] !== undefined);
}

/** @throws Error for a format that is not available, which `createOutput` has ruled out */
export async function loadRenderer(format: Format): Promise<Renderer> {
  const load = RENDERERS[format];
  if (load === undefined) throw new Error(`there is no renderer for ${format}`);
  return await load();
}
