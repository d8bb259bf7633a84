import * as v from "valibot";
import { activityBodySchema } from "../../contract/bodies.js";
import { badRequest } from "../http/problem-error.js";
import { activityResource } from "../resources.js";
import { createHexId } from "../secrets.js";
import { requireCalendar } from "./calendar-access.js";
import type { Call } from "./endpoint.js";
import { requireEvent } from "./events.js";
import { collectFieldErrors, listFieldErrors, unstorableText } from "./field-errors.js";

export async function createActivity(call: Call): Promise<object> {
  const { id: calendarId } = await requireCalendar(call);
  const { row: event } = await requireEvent(call, calendarId);
  const row = {
    id: createHexId(),
    event_id: event.id,
    user_id: call.userId,
    content: parseContent(call.body),
    created_at: call.now,
    updated_at: call.now,
  };
  await call.db.insertInto("activities").values(row).execute();
  return { data: activityResource(row) };
}

function parseContent(body: unknown): string {
  const { success, output, issues } = v.safeParse(activityBodySchema, body);
  if (!success) throw badRequest(listFieldErrors(collectFieldErrors(issues)));
  const { content } = output.data.attributes;
  const problem = unstorableText(content);
  if (problem !== null) throw badRequest({ content: [problem] });
  return content;
}
