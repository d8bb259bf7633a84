import { usageError } from "../../errors.js";
import type { AdminOptions, UserAdmin } from "../admin.js";
import { hashPassword, type PasswordCost } from "../passwords.js";
import { createUserId } from "../secrets.js";
import { endSignIns } from "../store/sessions.js";
import { insertUser, isLoginTaken, listAllUsers } from "../store/users.js";
import { findLocalUser } from "./local-user.js";
import { checkName, requireUser } from "./naming.js";
import { serviceUser } from "./shapes.js";

/** The longest login in Unicode code points: the length of the longest mail address. */
const LOGIN_MAX = 254;

export function createUserAdmin({ store, now, passwordCost }: AdminOptions): UserAdmin {
  return {
    async add({ name, login = name, password }) {
      checkName(name);
      checkName(login, "login", LOGIN_MAX);
      const password_hash = password === undefined ? null : await hashNewPassword(password, passwordCost);
      return store.write(async (db) => {
        if (await isLoginTaken(db, login)) {
          throw usageError(`the login "${login}" is taken`, "give another one with --login");
        }
        const user = { id: createUserId(), name, login, password_hash, created_at: now() };
        await insertUser(db, user);
        return serviceUser(user);
      });
    },
    list: () => store.read(async (db) => (await listAllUsers(db)).map(serviceUser)),
    async setPassword(user, password) {
      const password_hash = await hashNewPassword(password, passwordCost);
      return store.write(async (db) => {
        const found = await requireUser(db, user);
        await db.updateTable("users").set({ password_hash }).where("id", "=", found.id).execute();
        await endSignIns(db, found.id);
        return serviceUser(found);
      });
    },
    disable: (user) =>
      store.write(async (db) => {
        const found = await requireUser(db, user);
        if (found.id === (await findLocalUser(db))) {
          throw usageError(`"${found.name}" is the user of the profile local, who cannot be disabled`);
        }
        await db.updateTable("users").set({ disabled: 1 }).where("id", "=", found.id).execute();
        await endSignIns(db, found.id);
        return serviceUser(found);
      }),
  };
}

async function hashNewPassword(password: string, cost: PasswordCost | undefined): Promise<string> {
  if (password === "") throw usageError("the password is empty");
  return hashPassword(password, cost);
}
