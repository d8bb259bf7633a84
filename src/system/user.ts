import { userInfo } from "node:os";

/** Name of the system's user; `me` in a container whose user has none. */
export function systemUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return "me";
  }
}
