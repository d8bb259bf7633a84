import { createCalendarAdmin, createLabelAdmin, createMemberAdmin } from "./calendars.js";
import { createClientAdmin, createTokenAdmin } from "./credentials.js";
import type { AdminOptions } from "./input.js";
import { createUserAdmin } from "./users.js";

export type Operations = ReturnType<typeof createOperations>;

export function createOperations(options: AdminOptions) {
  return {
    users: createUserAdmin(options),
    calendars: createCalendarAdmin(options),
    members: createMemberAdmin(options),
    labels: createLabelAdmin(options),
    clients: createClientAdmin(options),
    tokens: createTokenAdmin(options),
  };
}
