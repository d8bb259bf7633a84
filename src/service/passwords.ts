import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** What scrypt works with: log2 of N, block size and parallelization. @see RFC 7914 §2 */
export interface PasswordCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and some 100 ms. */
const COST: PasswordCost = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** What is stored of a password: `$scrypt$ln=15,r=8,p=3$salt$key`, salt and key in base64. */
export async function hashPassword(password: string, cost: PasswordCost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return format(salt, await derive(password, salt, cost), cost);
}

function format(salt: Buffer, key: Buffer, { ln, r, p }: PasswordCost): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString("base64")}$${key.toString("base64")}`;
}

/**
 * Whether a password is that of somebody who may have none, or who may not exist: the work is the same, so that its
 * time does not tell which logins there are.
 * @param cost that at which the passwords of the service are stored
 */
export async function verifyPasswordOf(
  stored: string | null | undefined,
  password: string,
  cost: PasswordCost = COST,
): Promise<boolean> {
  const nobody = format(Buffer.alloc(SALT_BYTES), Buffer.alloc(KEY_BYTES), cost);
  const fits = await verifyPassword(password, stored ?? nobody);
  return fits && stored !== null && stored !== undefined;
}

const STORED = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;

/** Whether a password is the one that was stored; false where what is stored cannot be read. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, ln, r, p, salt = "", key = ""] = STORED.exec(stored) ?? [];
  const expected = Buffer.from(key, "base64");
  if (expected.length !== KEY_BYTES) return false;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, "base64"), cost), expected);
}

function derive(password: string, salt: Buffer, { ln, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** ln;
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    // The same letters may arrive composed or not, by keyboard and system. @see NIST SP 800-63B §5.1.1.2
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
