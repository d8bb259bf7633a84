import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { words } from "../../test/support/words.js";
import { createClientAddressReader } from "../http/addresses.js";

describe("the address of a client", () => {
  test.each([
    ["192.0.2.1", undefined, "192.0.2.1"],
    ["192.0.2.1", "198.51.100.7", "192.0.2.1"],
    ["::ffff:192.0.2.1", undefined, "192.0.2.1"],
    ["2001:DB8:0:0::1", undefined, "2001:db8:0:0::/64"],
    ["", undefined, ""],
  ])("without a proxy %j, %j is %j", (socket, forwardedFor, address) => {
    expect(createClientAddressReader(undefined)(socket, forwardedFor)).toBe(address);
  });

  test.each([
    ["10.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "203.0.113.5, 198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "198.51.100.7, 10.0.0.1", "198.51.100.7"],
    ["::ffff:10.0.0.1", "198.51.100.7,::ffff:10.0.0.1", "198.51.100.7"],
    ["10.0.0.1", "2001:DB8::0:7", "2001:db8:0:0::/64"],
    ["10.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
    ["10.0.0.1", "[2001:db8::1]:4711", "2001:db8:0:0::/64"],
    ["10.0.0.1", "[2001:db8::1]", "2001:db8:0:0::/64"],
    ["10.0.0.1", "[::ffff:203.0.113.7]:4711", "203.0.113.7"],
    ["10.0.0.1", "203.0.113.7:4711, 10.0.0.1:80", "203.0.113.7"],
    ["10.0.0.1", "203.0.113.7, ,", "203.0.113.7"],
    ["10.0.0.1", "127.0.0.9", "127.0.0.1"],
    ["10.0.0.1", "198.51.100.7, somebody", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.7, 203.0.113.7:", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.7, 203.0.113.7:x", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.7, [2001:db8::1", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.7, 2001:db8:::1", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.7, %eth0", "10.0.0.1"],
    ["10.0.0.1", "", "10.0.0.1"],
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["10.0.0.1", "10.0.0.1", "10.0.0.1"],
    ["192.0.2.1", "198.51.100.7", "192.0.2.1"],
  ])("with the proxy 10.0.0.1, from %j with %j is %j", (socket, forwardedFor, address) => {
    expect(createClientAddressReader("10.0.0.1")(socket, forwardedFor)).toBe(address);
  });

  test.each([
    [
      ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:DB8:1:2:0:0:0:3", "2001:db8:1:2::%eth0"],
      "2001:db8:1:2::/64",
    ],
    [["2001:db8::1", "2001:db8:0:0:1::", "2001:db8:0:0:1:2:3:4"], "2001:db8:0:0::/64"],
    [["fe80::1", "fe80::1%eth0", "fe80::2%eth1"], "fe80:0:0:0::/64"],
    [["2001:db8:1:2:3:4:5::"], "2001:db8:1:2::/64"],
    [["1::"], "1:0:0:0::/64"],
    [["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:192.0.2.1"], "192.0.2.1"],
    [["127.0.0.1", "127.0.0.2", "127.255.255.254", "::ffff:127.0.0.3", "::1", "::1%lo"], "127.0.0.1"],
  ])("%j are one client", (addresses, client) => {
    const read = createClientAddressReader(undefined);
    expect(addresses.map((address) => read(address, undefined))).toEqual(addresses.map(() => client));
    const forwarded = createClientAddressReader("10.0.0.1");
    expect(addresses.map((address) => forwarded("10.0.0.1", address))).toEqual(addresses.map(() => client));
  });

  test("neighboring networks are different clients", () => {
    const read = createClientAddressReader(undefined);
    const addresses = words`2001:db8:1:2::1 2001:db8:1:3::1 2001:db8::1 192.0.2.1 192.0.2.2 128.0.0.1`;
    expect(new Set(addresses.map((address) => read(address, undefined))).size).toBe(addresses.length);
  });

  test("no header makes the reader fail, and what it returns is one client again", () => {
    const read = createClientAddressReader("10.0.0.1");
    fc.assert(
      fc.property(fc.oneof(fc.ipV6(), fc.ipV4(), fc.string()), (text) => {
        const client = read("10.0.0.1", text);
        expect(client).toMatch(/^(?:[\d.]+|[0-9a-f:]+::\/64)$/);
        expect(read("10.0.0.1", client.replace("/64", ""))).toBe(client);
      }),
    );
  });

  test("only the proxy itself is trusted, not its network", () => {
    const read = createClientAddressReader("2001:db8::1");
    expect(read("2001:db8::1%eth0", "203.0.113.7")).toBe("203.0.113.7");
    expect(read("2001:db8::2", "203.0.113.7")).toBe("2001:db8:0:0::/64");
    expect(createClientAddressReader("127.0.0.1")("127.0.0.2", "203.0.113.7")).toBe("127.0.0.1");
  });

  test.each(["proxy.example.org", "10.0.0.0/8", ""])("%j is not the address of a proxy", (trustProxy) => {
    expect(() => createClientAddressReader(trustProxy)).toThrowError(
      expect.objectContaining({ code: "configuration", message: expect.stringContaining("--trust-proxy") }),
    );
  });
});
