import { verifyPasswordOf } from "../passwords.js";
import { createSessionSecret } from "../secrets.js";
import { countAttempt, forgiveAttempt, insertSession } from "../store/sessions.js";
import { findUserByLogin } from "../store/users.js";
import type { OAuthContext } from "./endpoint.js";
import type { Notice } from "./pages/sign-in-page.js";

export interface Credentials {
  readonly login: string;
  readonly password: string;
}

export type SignInResult =
  | { readonly kind: "signed-in"; readonly secret: string }
  | ({ readonly kind: "refused" } & Notice);

/**
 * Checks login and password and opens a session. What it answers, and how long that takes, is the same for a login
 * that does not exist, has no password or is disabled.
 */
export async function signIn(
  { store, source, now, passwordCost }: OAuthContext,
  { login, password }: Credentials,
): Promise<SignInResult> {
  const attempt = { address: source.address, login, now };
  const wait = await store.write((db) => countAttempt(db, attempt));
  if (wait !== null) return tooMany(wait);
  const user = await store.read((db) => findUserByLogin(db, login));
  const fits = await verifyPasswordOf(user?.password_hash, password, passwordCost);
  if (!fits || user === undefined || user.disabled === 1) return WRONG;
  const secret = createSessionSecret();
  const opened = await store.write(async (db) => {
    // The password may have been changed, or the user disabled, while it was being checked.
    const current = await findUserByLogin(db, login);
    if (current?.password_hash !== user.password_hash || current.disabled === 1) return false;
    await forgiveAttempt(db, attempt);
    await insertSession(db, { secret, userId: user.id, now });
    return true;
  });
  return opened ? { kind: "signed-in", secret } : WRONG;
}

const WRONG = { kind: "refused", status: 403, text: "The login or the password is wrong." } as const;

function tooMany(seconds: number): SignInResult {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? "a minute" : `${minutes} minutes`;
  return { kind: "refused", status: 429, text: `Too many attempts to sign in. Please try again in ${wait}.` };
}
