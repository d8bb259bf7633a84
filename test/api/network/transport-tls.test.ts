import { createServer as createTlsServer } from "node:tls";
import { expect, test } from "vitest";
import { createCertificate } from "../../../service/test/support/certificate.js";
import { listen, listenHttp, listenMute, listenTls, POST, send } from "./peers.js";

/** The errors of TLS connections that cannot be opened: nothing was sent over any of them. */

const CLOCK = "check this machine's clock; if it is right, the service must renew its certificate";
const TRUST = "if the issuer is your own, set NODE_EXTRA_CA_CERTS to the file of its certificate";

const AUTHORITY = createCertificate({ subject: "test authority" });

test.each([
  [
    "signed by itself",
    createCertificate(),
    {
      reason: "DEPTH_ZERO_SELF_SIGNED_CERT",
      message: "is self-signed",
      hint: "if you trust it, set NODE_EXTRA_CA_CERTS to its file",
    },
  ],
  [
    "expired",
    createCertificate({ until: "210101000000Z" }),
    { reason: "CERT_HAS_EXPIRED", message: "has expired", hint: CLOCK },
  ],
  [
    "not valid yet",
    createCertificate({ from: "491231000000Z" }),
    { reason: "CERT_NOT_YET_VALID", message: "is not valid yet", hint: CLOCK },
  ],
])("C9 a certificate that is %s", async (_, certificate, expected) => {
  const host = (await listenTls(certificate)).replace("127.0.0.1", "localhost");
  await expect(send(`https://${host}/`, POST)).rejects.toMatchObject({
    name: "TransportError",
    kind: "tls",
    sent: "no",
    ...expected,
    message: `the certificate of ${host} ${expected.message}`,
  });
});

test("C9 a certificate without that of its issuer", async () => {
  const host = (await listenTls(createCertificate({ authority: AUTHORITY }))).replace(
    "127.0.0.1",
    "localhost",
  );
  await expect(send(`https://${host}/`)).rejects.toMatchObject({
    kind: "tls",
    sent: "no",
    reason: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    message: `the certificate chain of ${host} is incomplete: the issuer's certificate is missing`,
    hint: TRUST,
  });
});

test("C9 a certificate of an unknown issuer", async () => {
  const certificate = createCertificate({ authority: AUTHORITY });
  const chain = { ...certificate, cert: certificate.cert + AUTHORITY.cert };
  const host = (await listenTls(chain)).replace("127.0.0.1", "localhost");
  await expect(send(`https://${host}/`)).rejects.toMatchObject({
    kind: "tls",
    sent: "no",
    message: `the certificate of ${host} has an unknown issuer (SELF_SIGNED_CERT_IN_CHAIN)`,
    hint: TRUST,
  });
});

test("https to a port that speaks plain HTTP", async () => {
  const host = await listenHttp((_, outgoing) => outgoing.end());
  await expect(send(`https://${host}/`, POST)).rejects.toMatchObject({
    kind: "tls",
    sent: "no",
    message: `${host} does not speak HTTPS`,
    hint: "check the port",
  });
});

test("plain http to a port that speaks TLS", async () => {
  const host = await listenTls();
  await expect(send(`http://${host}/`)).rejects.toMatchObject({
    name: "TransportError",
    sent: "maybe",
  });
});

test("a peer that supports only old versions of TLS", async () => {
  const server = createTlsServer({
    ...createCertificate(),
    minVersion: "TLSv1.1",
    maxVersion: "TLSv1.1",
    ciphers: "DEFAULT@SECLEVEL=0",
  });
  server.on("tlsClientError", () => undefined);
  const host = await listen(server);
  await expect(send(`https://${host}/`, POST)).rejects.toMatchObject({
    kind: "tls",
    sent: "no",
    message: expect.stringMatching(/^the TLS handshake with 127\.0\.0\.1:\d+ failed \(ERR_SSL_\w+\)$/),
  });
});

test("a peer that closes the connection during the TLS handshake", async () => {
  const host = await listenMute((socket) => socket.once("data", () => socket.resetAndDestroy()));
  await expect(send(`https://${host}/`, POST)).rejects.toMatchObject({
    kind: "unreachable",
    sent: "no",
    message: `cannot connect to ${host} (ECONNRESET)`,
  });
});
