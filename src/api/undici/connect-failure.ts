import type { Fault } from "../transport/transport.js";
import { describeTlsFault } from "./tls-failure.js";

/** What went wrong, in one sentence. */
export interface Described {
  readonly fault: Fault;
  readonly message: string;
  readonly hint?: string;
}

/** The other end of a connection, as messages name it. */
export interface Peer {
  /** Such as `calendar.example:8443`. */
  readonly name: string;
  /** Such as `the host calendar.example`. */
  readonly host: string;
}

const IS_ADDRESS_RIGHT = "is the address right? if it is, try again later; repeating this is safe";

/**
 * Says why a connection did not come about.
 * @param codes of the error: several, each once, where a host has several addresses
 */
export function describeConnecting(error: unknown, codes: string, { name, host }: Peer): Described {
  const tls = describeTlsFault(codes, name, error);
  if (tls !== null) return { fault: "tls", ...tls };
  switch (codes) {
    case "ECONNREFUSED":
      return { fault: "unreachable", message: `nothing listens at ${name}`, hint: IS_ADDRESS_RIGHT };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { fault: "unreachable", message: `${host} cannot be found`, hint: IS_ADDRESS_RIGHT };
    case "UND_ERR_CONNECT_TIMEOUT":
      return { fault: "timeout", message: `${name} did not take a connection in time` };
    default:
      return { fault: "unreachable", message: `${name} cannot be reached (${codes})` };
  }
}
