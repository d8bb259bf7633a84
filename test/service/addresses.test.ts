import { describe, expect, test } from "vitest";
import { createClientAddressReader } from "../../src/service/http/addresses.js";

describe("the address of a client", () => {
  test.each([
    ["192.0.2.1", undefined, "192.0.2.1"],
    ["192.0.2.1", "198.51.100.7", "192.0.2.1"],
    ["::ffff:192.0.2.1", undefined, "192.0.2.1"],
    ["2001:DB8:0:0::1", undefined, "2001:db8::1"],
    ["", undefined, ""],
  ])("without a proxy %j, %j is %j", (socket, forwardedFor, address) => {
    expect(createClientAddressReader(undefined)(socket, forwardedFor)).toBe(address);
  });

  test.each([
    ["10.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "203.0.113.5, 198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "198.51.100.7, 10.0.0.1", "198.51.100.7"],
    ["::ffff:10.0.0.1", "198.51.100.7,::ffff:10.0.0.1", "198.51.100.7"],
    ["10.0.0.1", "2001:DB8::0:7", "2001:db8::7"],
    ["10.0.0.1", "198.51.100.7, somebody", "10.0.0.1"],
    ["10.0.0.1", "", "10.0.0.1"],
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["10.0.0.1", "10.0.0.1", "10.0.0.1"],
    ["192.0.2.1", "198.51.100.7", "192.0.2.1"],
  ])("with the proxy 10.0.0.1, from %j with %j is %j", (socket, forwardedFor, address) => {
    expect(createClientAddressReader("10.0.0.1")(socket, forwardedFor)).toBe(address);
  });

  test.each(["proxy.example.org", "10.0.0.0/8", ""])("%j is not the address of a proxy", (trustProxy) => {
    expect(() => createClientAddressReader(trustProxy)).toThrowError(
      expect.objectContaining({ code: "configuration", message: expect.stringContaining("--trust-proxy") }),
    );
  });
});
