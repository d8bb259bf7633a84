import type { Api } from "../../api/client.js";
import { CliError } from "../../errors.js";

/** Whether the service has an extension, as a response has said; before the first one, the calendar is read. */
export async function hasExtension(
  api: Api,
  name: "keys" | "recurrences",
  calendarId: string,
): Promise<boolean> {
  if (api.lastResponse() === null) await api.getCalendar(calendarId);
  return api.lastResponse()?.extensions?.includes(name) === true;
}

/** @throws CliError rejected where the service stores no series */
export async function requireSeries(api: Api, calendarId: string): Promise<void> {
  if (await hasExtension(api, "recurrences", calendarId)) return;
  throw new CliError("rejected", "this service does not store repeating events", {
    hint: "--copies makes single events, as many as --until or --count says",
  });
}
