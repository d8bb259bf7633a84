import { userResource } from "../resources.js";
import type { Call } from "./endpoint.js";

export async function getCurrentUser({ db, userId }: Call): Promise<object> {
  const user = await db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
  return { data: userResource(user) };
}
