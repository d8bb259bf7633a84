import { generateKeyPairSync, sign } from "node:crypto";

/** A self-signed certificate for `localhost` and its key, PEM. @see RFC 5280 §4.1 */
export function createCertificate(): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const commonName = sequence(objectId(0x55, 0x04, 0x03), der(0x0c, Buffer.from("localhost")));
  const name = sequence(der(0x31, commonName));
  const validity = sequence(der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("491231235959Z")));
  const spki = publicKey.export({ type: "spki", format: "der" });
  const serial = der(0x02, Buffer.from([1]));
  const signed = sequence(serial, algorithm, name, validity, name, spki);
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", signed, privateKey)]);
  const certificate = sequence(signed, algorithm, der(0x03, signature));
  const body = certificate.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
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
