import { expect, test } from "vitest";
import { linkButtons } from "../../../src/commands/messages/links.js";

/** The links of a reminder as buttons: what to join first, and where each leads is said by its host. */

const NONE = { location: null, description: null, url: null };

test.each([
  [{ location: "https://meet.example/team?x=1" }, ["Join meet.example https://meet.example/team?x=1"]],
  [{ url: "https://noodles.example/t" }, ["Open noodles.example https://noodles.example/t"]],
  [{ url: "https://us02web.zoom.us/j/1" }, ["Join us02web.zoom.us https://us02web.zoom.us/j/1"]],
  [
    { description: "See https://a.example/x\nJoin: https://meet.google.com/abc-defg-hij." },
    ["Join meet.google.com https://meet.google.com/abc-defg-hij"],
  ],
  [
    { location: "Room 4, https://meet.example/1", url: "https://wiki.example/agenda" },
    ["Join meet.example https://meet.example/1", "Open wiki.example https://wiki.example/agenda"],
  ],
  [{ location: "https://a.example/1", url: "https://a.example/1" }, ["Join a.example https://a.example/1"]],
  [{ location: "“https://meet.example/1” – room 4" }, ["Join meet.example https://meet.example/1"]],
  [{ url: "mailto:ana@example.com" }, []],
  [{ url: "javascript:alert(1)" }, []],
  [{ url: "https://bank.example@evil.example/" }, []],
  [{ url: "http://[fd00::1]:8080/room" }, []],
  [{ url: "http://intranet/room", location: "http://localhost:8080/" }, []],
  [{ url: "http://intranet./room" }, []],
  [{ url: "http://192.168.1.7/room" }, ["Open 192.168.1.7 http://192.168.1.7/room"]],
  [{ url: "https://notzoom.us.example/" }, ["Open notzoom.us.example https://notzoom.us.example/"]],
  [{ location: `https://a.example/${"x".repeat(500)}` }, []],
  [
    { url: `https://bank.example.${"a".repeat(60)}.evil.example/` },
    [`Open ...${"a".repeat(43)}.evil.example https://bank.example.${"a".repeat(60)}.evil.example/`],
  ],
])("%j has the buttons %j", (links, buttons) => {
  expect(linkButtons({ ...NONE, ...links }).map(({ text, url }) => `${text} ${url}`)).toEqual(buttons);
});
