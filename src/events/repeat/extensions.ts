import type { Api } from "../../api/client.js";
import { CliError } from "../../errors.js";

/** @throws CliError rejected where the service stores no series */
export async function requireSeries(api: Api, calendarId: string): Promise<void> {
  if (await api.hasExtension("recurrences", calendarId)) return;
  throw new CliError("rejected", "this service does not store repeating events", {
    hint: "--copies makes single events, as many as --until or --count says",
  });
}
