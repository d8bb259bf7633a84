import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";

/** A certificate and its key, PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly subject: string;
}

export interface CertificateOptions {
  /** Host name of the certificate. */
  readonly subject?: string;
  /** Further host names. */
  readonly names?: readonly string[];
  /** As `YYMMDDhhmmssZ`. */
  readonly from?: string;
  readonly until?: string;
  /** The issuer; self-signed by default. */
  readonly authority?: Certificate;
}

/** By default a self-signed certificate for `localhost`. @see RFC 5280 §4.1 */
export function createCertificate(options: CertificateOptions = {}): Certificate {
  const { subject = "localhost", from = "200101000000Z", until = "491231235959Z", authority } = options;
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const validity = sequence(der(0x17, Buffer.from(from)), der(0x17, Buffer.from(until)));
  const spki = publicKey.export({ type: "spki", format: "der" });
  const issuer = nameOf(authority?.subject ?? subject);
  const signed = sequence(
    ...[VERSION_3, der(0x02, Buffer.from([1])), algorithm, issuer, validity, nameOf(subject), spki],
    extensions([subject, ...(options.names ?? [])], authority === undefined),
  );
  const signingKey = authority === undefined ? privateKey : createPrivateKey(authority.key);
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", signed, signingKey)]);
  const certificate = sequence(signed, algorithm, der(0x03, signature));
  const body = certificate
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    subject,
  };
}

const VERSION_3 = der(0xa0, der(0x02, Buffer.from([2])));

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId(0x55, 0x04, 0x03), der(0x0c, Buffer.from(commonName)))));
}

/** The host names and, for an authority, the CA flag. */
function extensions(subjects: readonly string[], isAuthority: boolean): Buffer {
  const names = subjects.map((subject) => der(0x82, Buffer.from(subject)));
  const hosts = sequence(objectId(0x55, 0x1d, 0x11), der(0x04, sequence(...names)));
  const constraints = sequence(der(0x01, Buffer.from([0xff])));
  const authority = sequence(objectId(0x55, 0x1d, 0x13), der(0x04, constraints));
  return der(0xa3, sequence(hosts, ...(isAuthority ? [authority] : [])));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function objectId(...bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
