import type { RouteName } from "../../../contract/routes.js";
import { CliError } from "../../errors.js";
import type { JsonApiResponse, ReadResource, RequestRoute, RouteRequest } from "./json-api.js";

/** The pages of a list. Each is requested when it is asked for, and only one is held. @throws CliError */
export type Pages<T> = AsyncIterable<readonly T[]>;

export interface PageReader<T> {
  readonly name: RouteName;
  readonly request: RouteRequest;
  readonly read: ReadResource<T>;
}

/** A list whose first page was read. */
export interface OpenList<T> {
  readonly first: JsonApiResponse;
  readonly pages: Pages<T>;
}

/**
 * Requests the first page of a list. Null when the service answers 404 or 405: it does not have the list, or what the
 * list is of does not exist.
 */
export async function openPages<T>(send: RequestRoute, reader: PageReader<T>): Promise<OpenList<T> | null> {
  try {
    const first = await send(reader.name, reader.request);
    return { first, pages: followPages(first, send, reader) };
  } catch (error) {
    if (error instanceof CliError && (error.status === 404 || error.status === 405)) return null;
    throw error;
  }
}

/** A service may send pages without an item while it searches; one that sends only such ones never ends. */
const MAX_EMPTY_PAGES = 1_000;

async function* followPages<T>(
  response: JsonApiResponse,
  send: RequestRoute,
  { name, request, read }: PageReader<T>,
): AsyncGenerator<readonly T[]> {
  const visited = new Set([response.url]);
  let empty = 0;
  for (;;) {
    const items = response.many(read);
    const next = response.next();
    yield items;
    if (next === null) return;
    empty = items.length === 0 ? empty + 1 : 0;
    if (visited.has(next)) throw endless(request, "the link to the next page leads back to an earlier one");
    if (empty > MAX_EMPTY_PAGES) throw endless(request, `${MAX_EMPTY_PAGES} pages in a row are empty`);
    visited.add(next);
    response = await send(name, { ...request, url: next });
  }
}

function endless({ subject }: RouteRequest, reason: string): CliError {
  return new CliError("rejected", `${subject}: ${reason}`, { hint: "this is an error of the service" });
}
