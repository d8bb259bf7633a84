import { type AccessRun, openAdmin } from "../../../service/access/admin.js";
import { hasCode } from "../../errors.js";
import { type Candidate, resolveName } from "../../events/names.js";

/** Says that the embedded service has no such calendar or label; null when it has, or when that is unknown. */
export async function findNameProblem(
  { machine, flags }: AccessRun,
  noun: "calendar" | "label",
  value: string,
): Promise<string | null> {
  try {
    const admin = await openAdmin({ machine, flags }, undefined, { create: false });
    const calendars = await admin.calendars.list();
    const labels = calendars.flatMap((calendar) => calendar.labels);
    if (noun === "label" && labels.some(({ number }) => String(number) === value)) return null;
    const candidates: readonly Candidate[] = noun === "label" ? labels : calendars;
    resolveName(value, candidates, { noun, source: noun, byPrefix: noun === "calendar" });
    return null;
  } catch (error) {
    // Any other error says nothing about the name, such as a database that does not exist yet.
    return hasCode(error, "not_found") ? `there is no ${noun} "${value}"` : null;
  }
}
