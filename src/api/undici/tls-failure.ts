/** What is wrong with a TLS connection, and what to do. */
export interface TlsFault {
  readonly message: string;
  readonly hint: string;
}

const TRUST_HINT =
  "if its authority is one of your own, name the file of that authority's certificate in NODE_EXTRA_CA_CERTS";
const CLOCK_HINT = "is this machine's clock right? if it is, the certificate has to be renewed there";

/** OpenSSL's reasons for an authority that is not known. @see openssl-verification-options(1) */
const UNKNOWN_AUTHORITY = new Set([
  "CERT_UNTRUSTED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

const OTHER_CERTIFICATE_FAULT =
  /^(?:CERT_|CRL_|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|UNABLE_TO_|ERR_TLS_CERT_)/;

/**
 * Says why no TLS connection came about.
 * @param code of Node's error
 * @param peer who is at the other end, as messages name it
 * @returns null for a code that is not of TLS
 */
export function describeTlsFault(code: string, peer: string, error: unknown): TlsFault | null {
  const certificate = `the certificate of ${peer}`;
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return { message: `${certificate} has expired`, hint: CLOCK_HINT };
    case "CERT_NOT_YET_VALID":
      return { message: `${certificate} is not valid yet`, hint: CLOCK_HINT };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return { message: `${certificate} is for ${namesOf(error)}`, hint: "is the host's name right?" };
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return {
        message: `${certificate} is signed by itself, and not trusted on this machine`,
        hint: "if it is the right one, name its file in NODE_EXTRA_CA_CERTS",
      };
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return {
        message: `${certificate} comes without its authority's, which is not known on this machine`,
        hint: TRUST_HINT,
      };
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return { message: `${peer} does not speak HTTPS`, hint: "is the port right?" };
    default:
      return describeByKind(code, peer);
  }
}

function describeByKind(code: string, peer: string): TlsFault | null {
  if (UNKNOWN_AUTHORITY.has(code)) {
    return {
      message: `the certificate of ${peer} is from an authority that this machine does not know (${code})`,
      hint: TRUST_HINT,
    };
  }
  if (OTHER_CERTIFICATE_FAULT.test(code)) {
    return { message: `the certificate of ${peer} is not accepted (${code})`, hint: TRUST_HINT };
  }
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) {
    const hint = "TLS 1.2 and 1.3 are spoken, without a certificate of the client's own";
    return { message: `no TLS connection with ${peer} could be agreed (${code})`, hint };
  }
  return null;
}

const NAMES_SHOWN = 3;

/** The names in the certificate, such as `a.example, b.example`. */
function namesOf(error: unknown): string {
  const names = subjectAltName(error)
    .split(", ")
    .map((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1])
    .filter((name) => name !== undefined);
  if (names.length === 0) return "another host";
  const more = names.length > NAMES_SHOWN ? ", …" : "";
  return `${names.slice(0, NAMES_SHOWN).join(", ")}${more} instead`;
}

function subjectAltName(error: unknown): string {
  if (typeof error !== "object" || error === null || !("cert" in error)) return "";
  const { cert } = error;
  if (typeof cert !== "object" || cert === null || !("subjectaltname" in cert)) return "";
  return String(cert.subjectaltname);
}
