import { AssertionError, filters, Liquid, LiquidError } from "liquidjs";
import { errorCodeOf, usageError } from "../../errors.js";
import { sanitizeBlock } from "../sanitize.js";
import { jsonObject, memberKeys, type OutputProgram } from "../view.js";

/**
 * Bounds of one template and of rendering it for one value: characters, milliseconds, and what Liquid counts as memory,
 * about one for each character or element.
 */
const LIMITS = { parseLimit: 1_000_000, renderLimit: 5_000, memoryLimit: 10_000_000 };

/**
 * `--template`: Liquid, rendered for each value, with a line feed at the end of each. The filter `date` uses the chosen
 * zone. Templates cannot read files.
 * @param source what messages call the template
 * @throws CliError usage with line and column for a template that is not valid
 * @see https://liquidjs.com
 */
export function createTemplateProgram(text: string, source: string): OutputProgram {
  const inMessages = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      // The class of errors about limits is not that of the others.
      if (LiquidError.is(error) || error instanceof AssertionError)
        throw usageError(`${source}: ${error.message}`);
      if (errorCodeOf(error) === "ENOENT")
        throw usageError(`${source}: a template cannot include another one`);
      throw error;
    }
  };
  const engine = createEngine({ zone: "UTC", now: () => 0 });
  const { globals } = inMessages(() => engine.analyzeSync(engine.parse(text)));
  return {
    check(view) {
      const keys: readonly string[] = memberKeys(view);
      for (const [name, [variable]] of Object.entries(globals)) {
        if (keys.includes(name) || variable === undefined) continue;
        const { row, col } = variable.location;
        const problem = `${view.noun} output has no field "${name}", line:${row}, col:${col}`;
        throw usageError(`${source}: ${problem}`, `fields: ${keys.join(", ")}`);
      }
    },
    render({ view, values, zone, now, capabilities }) {
      const local = createEngine({ zone: zone(), now });
      const templates = local.parse(text);
      const texts = values.map((value): string =>
        inMessages(() => local.renderSync(templates, jsonObject(view, value))),
      );
      const lines = texts.map((each) => (each === "" || each.endsWith("\n") ? each : `${each}\n`)).join("");
      return capabilities.isTerminal ? sanitizeBlock(lines) : lines;
    },
  };
}

/** Conversions of strftime that Liquid lacks, written with those that it has. */
const CONVERSIONS: Readonly<Record<string, string>> = { F: "%Y-%m-%d", R: "%H:%M", T: "%H:%M:%S" };
const OWN_CONVERSIONS = "aAbBcCdeHhIjklLmMnNpPqsStuUwWxXyYzZ%";

/** @throws CliError usage for a conversion that Liquid would print as text */
function knownFormat(format: string): string {
  return format.replace(/%[-_0^#:]*\d*[EO]?(.)/g, (written, letter: string) => {
    if (OWN_CONVERSIONS.includes(letter)) return written;
    const known = CONVERSIONS[letter];
    if (known === undefined) throw usageError(`the filter date does not support ${written}`);
    return known;
  });
}

/** A value that names a day, not an instant. */
const DATE = /^\d{4}-\d{2}-\d{2}$/;

function createEngine({ zone, now }: { readonly zone: string; readonly now: () => number }): Liquid {
  const engine = new Liquid({
    ...LIMITS,
    timezoneOffset: zone,
    locale: "en-US",
    ownPropertyOnly: true,
    strictFilters: true,
    // No other templates, and so no files.
    templates: {},
  });
  const { date } = filters;
  if (typeof date !== "function") throw new Error("Liquid has no filter named date");
  engine.registerFilter("date", function (value, format?: string, timezone?: string | number) {
    const time: unknown = value === "now" || value === "today" ? new Date(now()) : value;
    const isDay = typeof time === "string" && DATE.test(time);
    return Reflect.apply(date, this, [
      time,
      format && knownFormat(format),
      timezone ?? (isDay ? "UTC" : zone),
    ]);
  });
  return engine;
}
