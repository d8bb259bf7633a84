/** More than a person reads; JSON has all of them. */
const LINES_MAX = 20;

/**
 * What the `errors` of problem details say, one line each: a text, an object of field -> messages, or JSON:API's
 * error objects. Anything else, such as the candidates for a name, is for programs.
 * @see RFC 9457 §3.2, JSON:API "Error Objects"
 */
export function describeDetails(details: unknown): readonly string[] {
  const lines = linesOf(details);
  const rest = lines.length - LINES_MAX;
  return rest > 0 ? [...lines.slice(0, LINES_MAX), `… and ${rest} more`] : lines;
}

function linesOf(details: unknown): readonly string[] {
  if (typeof details === "string") return [details];
  if (Array.isArray(details)) return details.flatMap(describeErrorObject);
  if (!isObject(details)) return [];
  return Object.entries(details).flatMap(([field, messages]) =>
    textsOf(messages).map((text) => `${field}: ${text}`),
  );
}

function describeErrorObject(error: unknown): readonly string[] {
  if (!isObject(error)) return textsOf(error);
  const [text] = [...textsOf(error["detail"]), ...textsOf(error["title"])];
  if (text === undefined) return [];
  const { pointer } = isObject(error["source"]) ? error["source"] : {};
  const field = typeof pointer === "string" ? pointer.slice(pointer.lastIndexOf("/") + 1) : "";
  return [field === "" ? text : `${field}: ${text}`];
}

function textsOf(messages: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  return list.filter((message) => typeof message === "string");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
