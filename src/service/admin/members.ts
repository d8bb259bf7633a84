import { resolveName } from "../../calendar/names.js";
import type { AdminOptions, MemberAdmin } from "../admin.js";
import { addMember, listMembers, removeMember } from "../store/calendars.js";
import { requireCalendar, requireUser } from "./naming.js";
import { memberShape } from "./shapes.js";

export function createMemberAdmin({ store }: AdminOptions): MemberAdmin {
  return {
    add: (user, calendar) =>
      store.write(async (db) => {
        const { id: calendarId } = await requireCalendar(db, calendar);
        const added = await requireUser(db, user);
        await addMember(db, { calendarId, userId: added.id });
        return memberShape({ ...added, calendar_id: calendarId });
      }),
    remove: (user, calendar) =>
      store.write(async (db) => {
        const { id: calendarId } = await requireCalendar(db, calendar);
        const members = await listMembers(db, [calendarId]);
        const removed = resolveName(user, members, { noun: "member", source: "user" });
        await removeMember(db, { calendarId, userId: removed.id });
        return memberShape(removed);
      }),
    list: (calendar) =>
      store.read(async (db) => {
        const { id } = await requireCalendar(db, calendar);
        return (await listMembers(db, [id])).map(memberShape);
      }),
  };
}
