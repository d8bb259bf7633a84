import type { Server } from "node:http";
import { type CliError, configurationError, errorCodeOf } from "../errors.js";

/** Where one server listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Makes a server listen; rejects with the system's error. */
export type Listen = (server: Server, address: ListenAddress) => Promise<void>;

export const listenExclusively: Listen = (server, { host, port }) =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.off("error", reject);
      // A connection that fails to be accepted is no reason to end.
      server.on("error", () => undefined);
      resolve();
    });
  });

/** Whether an address could not be had because this machine lacks its family. */
export function isAbsentFamily(error: unknown): boolean {
  return ["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(errorCodeOf(error) ?? "");
}

/** Says why the browser cannot come back here. */
export function portError(cause: unknown, { host, port }: ListenAddress): CliError {
  const code = errorCodeOf(cause) ?? "unknown";
  const where = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (code === "EADDRINUSE") {
    return configurationError(`the redirect port is busy: another program listens on ${where}`, {
      hint: "end it, or choose another registered port with --redirect-port",
      cause,
    });
  }
  if (code === "EACCES") {
    return configurationError(`the redirect port is forbidden: ${where} may not be listened on`, {
      hint: "choose a registered port above 1023; on Windows, `netsh int ipv4 show excludedportrange protocol=tcp` lists what is reserved",
      cause,
    });
  }
  const other = host.includes(":") ? "http://127.0.0.1/callback" : "http://[::1]/callback";
  return configurationError(`${where} cannot be listened on (${code})`, {
    hint: `register ${other} and name it with --redirect-uri, or use --with-token`,
    cause,
  });
}
