declare module "pgpass" {
  /** Looks a password up in PGPASSFILE or ~/.pgpass; undefined if there is none. */
  export default function findPassword(server: object, found: (password?: string) => void): void;
}
