import type { AdminOptions, Operations } from "./admin.js";
import { createCalendarAdmin, createLabelAdmin, createMemberAdmin } from "./calendars.js";
import { createClientAdmin, createTokenAdmin } from "./credentials.js";
import { createUserAdmin, ensureLocalUser } from "./users.js";

export function createOperations(options: AdminOptions): Operations {
  return {
    users: createUserAdmin(options),
    calendars: createCalendarAdmin(options),
    members: createMemberAdmin(options),
    labels: createLabelAdmin(options),
    clients: createClientAdmin(options),
    tokens: createTokenAdmin(options),
    ensureLocalUser: ({ name }) => ensureLocalUser(options, name),
  };
}
