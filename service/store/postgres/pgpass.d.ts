declare module "pgpass" {
  interface Server {
    readonly host: string;
    readonly port: number;
    readonly database: string;
    readonly user: string | undefined;
  }
  /** Looks a password up in PGPASSFILE or ~/.pgpass; undefined if there is none. */
  export default function findPassword(
    server: Server,
    callback: (password: string | undefined) => void,
  ): void;
}
