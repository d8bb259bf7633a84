import { parseUrl } from "../../contract/url.js";
import { usageError } from "../errors.js";

/** Whether a database is one of a PostgreSQL server, and not a file. */
export function isPostgresUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database);
}

/** What was meant as the URL of a server: in quotes, after a space, without a colon or scheme, or as psql's `key=value`. */
const MISTYPED_URL =
  /^(?:\W*postgres(?:ql)?\W.*(?:\/\/|@)|\/\/[^/]*@|(?!sqlite:)\w+:[^/\\]*@|.*\bpassword\s*=)/i;

/**
 * The path of `sqlite:PATH`, a plain path, or the URL of a PostgreSQL server.
 * @param options.note of a command line, whose passwords others can see
 * @throws CliError usage
 */
export function parseDatabase(
  database: string,
  { source, note }: { readonly source: string; readonly note?: (text: string) => void },
): string {
  if (isPostgresUrl(database)) {
    if (note !== undefined && (parseUrl(database)?.password ?? "") !== "") {
      note(
        `others on this machine can see the password of ${source}: set ${source === "--db" ? "CALCTL_SERVICE_DB to the URL instead, or PGPASSWORD" : "PGPASSWORD instead"}`,
      );
    }
    return database;
  }
  const hint = "write sqlite:PATH or postgres://USER@HOST/DATABASE";
  // Not repeated: it may have a password.
  if (MISTYPED_URL.test(database)) {
    throw usageError(
      `${source}: a server is given as a URL that begins with postgres://, without a quotation mark or space before it`,
      hint,
    );
  }
  const scheme = /^([a-z][a-z0-9+]+):/i.exec(database)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "sqlite") {
    throw usageError(`${source}: "${scheme}" is not a supported kind of database`, hint);
  }
  const path = scheme === undefined ? database : database.slice("sqlite:".length);
  if (path === "") throw usageError(`${source}: the path is empty`, hint);
  return path;
}
