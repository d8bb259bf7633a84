import { describe, expect, test } from "vitest";
import { createProxyResolver } from "../../src/config/proxy-settings.js";
import { CliError } from "../../src/errors.js";
import { words } from "../support/words.js";

const SERVICE = new URL("https://calendar.example/v1");

function choose(env: Readonly<Record<string, string>>, url: URL = SERVICE) {
  return createProxyResolver(env)(url);
}

const at = (origin: string, variable: string) => ({ origin, variable, credentials: null });

describe("C8 the variable that is used", () => {
  test.each([
    ["none", {}, null],
    ["upper case", { HTTPS_PROXY: "http://a:1" }, at("http://a:1", "HTTPS_PROXY")],
    ["lower case", { https_proxy: "http://a:1" }, at("http://a:1", "https_proxy")],
    [
      "lower before upper case",
      { HTTPS_PROXY: "http://b:1", https_proxy: "http://a:1" },
      at("http://a:1", "https_proxy"),
    ],
    ["lower case even when empty", { HTTPS_PROXY: "http://b:1", https_proxy: "" }, null],
    ["the one for all", { ALL_PROXY: "http://a:1" }, at("http://a:1", "ALL_PROXY")],
    [
      "the scheme's own before the one for all",
      { all_proxy: "http://b:1", HTTPS_PROXY: "http://a:1" },
      at("http://a:1", "HTTPS_PROXY"),
    ],
    ["an empty one of the scheme", { all_proxy: "http://b:1", HTTPS_PROXY: "" }, null],
    ["not that of http", { HTTP_PROXY: "http://a:1", http_proxy: "http://a:1" }, null],
  ])("%s", (_, env, expected) => {
    expect(choose(env)).toEqual(expected);
  });

  test("http has its own proxy", () => {
    const env = { http_proxy: "http://a:1", https_proxy: "http://b:1" };
    expect(choose(env, new URL("http://calendar.example/"))).toEqual(at("http://a:1", "http_proxy"));
  });
});

describe("C8 the address of a proxy", () => {
  test.each([
    ["proxy.example:3128", "http://proxy.example:3128", null],
    [" http://proxy.example:3128/ ", "http://proxy.example:3128", null],
    ["http://proxy.example", "http://proxy.example", null],
    ["https://proxy.example:8443", "https://proxy.example:8443", null],
    ["localhost:3128", "http://localhost:3128", null],
    ["[::1]:3128", "http://[::1]:3128", null],
    [
      "http://ana:p%40ss%3A%C3%84@proxy.example:1",
      "http://proxy.example:1",
      { user: "ana", password: "p@ss:Ä" },
    ],
    ["ana:pass@proxy.example:1", "http://proxy.example:1", { user: "ana", password: "pass" }],
    ["http://ana@proxy.example:1", "http://proxy.example:1", { user: "ana", password: "" }],
  ])("%s", (value, origin, credentials) => {
    expect(choose({ HTTPS_PROXY: value })).toEqual({ origin, variable: "HTTPS_PROXY", credentials });
  });

  test.each([
    ["http://", 'HTTPS_PROXY: "http://" is not a URL'],
    ["http://proxy.example:port", 'HTTPS_PROXY: "http://proxy.example:port" is not a URL'],
    ["http://ana:sEc/ret@proxy.example:1", 'HTTPS_PROXY: "…@proxy.example:1" is not a URL'],
    ["http://ana:sEc@ret@proxy.example:p", 'HTTPS_PROXY: "…@proxy.example:p" is not a URL'],
    [
      "http://ana:sEcret%zz@proxy.example",
      "HTTPS_PROXY: the user or password of the proxy is not percent-encoded: write % as %25",
    ],
    ["socks5://ana:sEcret@proxy.example:1080", "HTTPS_PROXY: socks5:// proxies are not supported"],
    ["socks5h://proxy.example:1080", "HTTPS_PROXY: socks5h:// proxies are not supported"],
  ])("%s is refused, without its password", (value, message) => {
    const attempt = () => choose({ HTTPS_PROXY: value });
    expect(attempt).toThrow(CliError);
    try {
      attempt();
    } catch (error) {
      expect(error).toMatchObject({
        code: "configuration",
        message,
        hint: "write http://HOST:PORT or https://HOST:PORT",
      });
      expect(error).not.toHaveProperty("cause");
    }
  });
});

describe("C8 direct connections", () => {
  const proxied = (noProxy: string, url: string, name = "NO_PROXY") =>
    choose({ HTTPS_PROXY: "http://p:1", HTTP_PROXY: "http://p:1", [name]: noProxy }, new URL(url)) !== null;

  test.each([
    ["*", "https://calendar.example/"],
    ["other.example, *", "https://calendar.example/"],
    ["calendar.example", "https://calendar.example/"],
    ["Calendar.Example.", "https://calendar.example./"],
    ["example", "https://calendar.example/"],
    [".example", "https://calendar.example/"],
    ["*.example", "https://calendar.example/"],
    ["other.example calendar.example", "https://calendar.example/"],
    ["calendar.example:443", "https://calendar.example/"],
    ["calendar.example:8443", "https://calendar.example:8443/"],
    [".example:80", "http://calendar.example/"],
    ["10.1.2.3", "https://10.1.2.3/"],
    ["10.1.2.3:443", "https://10.1.2.3/"],
    ["10.0.0.0/8", "https://10.1.2.3/"],
    ["2001:db8::1", "https://[2001:db8::1]/"],
    ["[2001:DB8:0::1]:443", "https://[2001:db8::1]/"],
    ["2001:db8::/32", "https://[2001:db8::1]/"],
  ])("NO_PROXY=%s: %s", (noProxy, url) => {
    expect(proxied(noProxy, url)).toBe(false);
  });

  test.each([
    ["", "https://calendar.example/"],
    [",", "https://calendar.example/"],
    [".", "https://calendar.example/"],
    ["lendar.example", "https://calendar.example/"],
    ["calendar.example.org", "https://calendar.example/"],
    ["other.calendar.example", "https://calendar.example/"],
    ["calendar.example:8443", "https://calendar.example/"],
    ["calendar.example:443", "https://calendar.example:8443/"],
    ["10.1.2.3", "https://10.1.2.33/"],
    ["2.3", "https://10.1.2.3/"],
    ["10.0.0.0/33", "https://10.0.0.0/"],
    ["10.0.0.0/8", "https://11.1.2.3/"],
    ["2001:db8::/32", "https://10.1.2.3/"],
    ["calendar/8", "https://calendar.example/"],
    ["[2001:db8::1]:8443", "https://[2001:db8::1]/"],
  ])("NO_PROXY=%s does not match %s", (noProxy, url) => {
    expect(proxied(noProxy, url)).toBe(true);
  });

  test("the lower-case name wins", () => {
    const env = { HTTPS_PROXY: "http://p:1", NO_PROXY: "*", no_proxy: "" };
    expect(choose(env)).not.toBeNull();
  });

  test.each(words`http://localhost:8787/ http://127.0.0.1:8787/ http://127.9.9.9/ http://[::1]:8787/
    https://localhost/`)("this machine, with any variables: %s", (url) => {
    const env = {
      HTTP_PROXY: "http://p:1",
      HTTPS_PROXY: "http://p:1",
      ALL_PROXY: "socks5://p:1",
      NO_PROXY: "",
    };
    expect(choose(env, new URL(url))).toBeNull();
  });
});
