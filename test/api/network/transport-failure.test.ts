import { expect, test } from "vitest";
import { toTransportError } from "../../../src/api/network/errors.js";

/** Errors that real sockets of one machine cannot cause. */

const SURROUNDINGS = {
  url: new URL("https://calendar.example:8443/v1"),
  sent: "no",
  proxy: null,
  maxResponseSize: 1,
} as const;

function withCode(code: string): Error {
  return Object.assign(new Error("of the driver"), { code });
}

test.each([
  [["ECONNREFUSED", "ECONNREFUSED"], "calendar.example:8443 refused the connection"],
  [["ENETUNREACH", "ETIMEDOUT"], "cannot connect to calendar.example:8443 (ENETUNREACH, ETIMEDOUT)"],
])("a host whose addresses fail with %s", (codes, message) => {
  const error = new AggregateError(codes.map(withCode));
  expect(toTransportError(error, SURROUNDINGS)).toMatchObject({ kind: "unreachable", sent: "no", message });
});

test.each([
  [
    "a host name that cannot be resolved now",
    "EAI_AGAIN",
    { kind: "unreachable", message: "the host calendar.example cannot be found" },
  ],
  [
    "a connection that undici gives up on is a timeout",
    "UND_ERR_CONNECT_TIMEOUT",
    { kind: "timeout", sent: "no" },
  ],
])("%s", (_, code, expected) => {
  expect(toTransportError(withCode(code), SURROUNDINGS)).toMatchObject(expected);
});

test("a TLS error after the request was sent is a closed connection", () => {
  const sent = { ...SURROUNDINGS, sent: "maybe" } as const;
  expect(toTransportError(withCode("ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC"), sent)).toMatchObject({
    kind: "closed",
    sent: "maybe",
  });
});

test.each([
  [["a.example"], "a.example"],
  [["a.example", "b.example", "c.example"], "a.example, b.example, c.example"],
  [["a.example", "b.example", "c.example", "d.example"], "a.example, b.example, c.example, …"],
  [[], "another host"],
])("a certificate for %s", (names, shown) => {
  const cert = { subjectaltname: names.map((name) => `DNS:${name}`).join(", ") };
  const error = Object.assign(withCode("ERR_TLS_CERT_ALTNAME_INVALID"), { cert });
  expect(toTransportError(error, SURROUNDINGS)).toMatchObject({
    kind: "tls",
    message: `the certificate of calendar.example:8443 is for ${shown}`,
    hint: "check the host name",
  });
});

test("a certificate that is rejected for a rare reason", () => {
  expect(toTransportError(withCode("CERT_REVOKED"), SURROUNDINGS)).toMatchObject({
    kind: "tls",
    message: "the certificate of calendar.example:8443 is not accepted (CERT_REVOKED)",
  });
});

test("an error that does not come from the network is thrown unchanged: it is a bug", () => {
  const bug = new TypeError("undefined is not a function");
  expect(toTransportError(bug, SURROUNDINGS)).toBe(bug);
});

test("an unknown error is never called safe to repeat after the request was sent", () => {
  const sent = { ...SURROUNDINGS, sent: "maybe" } as const;
  expect(toTransportError(new TypeError("?"), sent)).toMatchObject({ name: "TransportError", sent: "maybe" });
});
