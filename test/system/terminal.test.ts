import { expect, test } from "vitest";
import { createInstallation, TOMORROW } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { openTerminal } from "./support/tmux.js";

/** The built program on a real terminal: keys and screen. */
describeWithSystem("tmux", "on a terminal", () => {
  async function createEvent(title: string) {
    const installation = createInstallation({ TZ: "UTC" });
    const flags = ["--start", `${TOMORROW}T12:00`, "--duration", "1h", "-o", "json"];
    const { stdout } = await installation.run("events", "create", "--title", title, ...flags);
    return { installation, id: JSON.parse(stdout).id as string };
  }

  test("events delete shows the event and asks for confirmation", async () => {
    const { installation, id } = await createEvent("Dentist");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl events delete ${id}; echo "exit $?"`, "Enter");
    await terminal.shows("Delete this event?");
    expect(terminal.screen()).toContain("Dentist");
    terminal.type("Enter");
    await terminal.shows("exit 130");
    expect(JSON.parse((await installation.run("events", "get", id, "-o", "json")).stdout)).toMatchObject({
      id,
    });

    const another = openTerminal(installation, { columns: 80 });
    another.type(`calctl events delete ${id}; echo "exit $?"`, "Enter");
    await another.shows("Delete this event?");
    another.type("y", "Enter");
    await another.shows("exit 0");
    expect((await installation.run("events", "get", id)).exitCode).toBe(5);
  });

  test("events delete asks about the others when an id is unknown, and reports it: exit 12", async () => {
    const { installation, id } = await createEvent("Dentist");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl events delete gone ${id}; echo "exit $?"`, "Enter");
    await terminal.shows("Delete this event?");
    expect(terminal.screen()).toContain("gone  not found");
    terminal.type("y", "Enter");
    await terminal.shows("exit 12");
    expect((await installation.run("events", "get", id)).exitCode).toBe(5);

    terminal.start(`calctl events delete gone lost; echo "exit $?"`);
    await terminal.shows("exit 5");
    expect(terminal.screen()).not.toContain("Delete");
  });

  test("Ctrl-D at a prompt is exit 130, too", async () => {
    const { installation, id } = await createEvent("Dentist");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl events delete ${id}; echo "exit $?"`, "Enter");
    await terminal.shows("Delete this event?");
    terminal.type("C-d");
    await terminal.shows("exit 130");
  });

  test("Ctrl-C at a prompt is exit 130, and nothing is deleted", async () => {
    const { installation, id } = await createEvent("Dentist");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl events delete ${id}; echo "exit $?"`, "Enter");
    await terminal.shows("Delete this event?");
    terminal.type("C-c");
    await terminal.shows("exit 130");
    expect((await installation.run("events", "get", id)).exitCode).toBe(0);
  });

  test("a list has whole titles, and short ids that can be typed, also on a narrow terminal", async () => {
    const { installation, id } = await createEvent("A title that is as long as titles may be, no more");
    for (const columns of [100, 40]) {
      const terminal = openTerminal(installation, { columns });
      terminal.type("calctl events list --days 2", "Enter");
      await terminal.shows(id.slice(0, 4));
      expect(terminal.screen().replace(/\s+/g, " ")).toContain("as titles may be, no more");
      terminal.start(`calctl events get ${id.slice(0, 4)} --fields id`);
      await terminal.shows(id);
    }
  });

  test("service calendars remove shows what goes and asks", async () => {
    const { installation } = await createEvent("Dentist");
    const terminal = openTerminal(installation, { columns: 100 });
    terminal.type(`calctl service calendars remove Personal; echo "exit $?"`, "Enter");
    await terminal.shows("Remove this calendar and everything in it?");
    expect(terminal.screen()).toContain("Personal: 1 event, members: ");
    terminal.type("Enter");
    await terminal.shows("exit 130");
    expect((await installation.run("calendars", "--fields", "name")).stdout).toBe("Personal\n");
    const another = openTerminal(installation, { columns: 100 });
    another.type(`calctl service calendars remove Personal; echo "exit $?"`, "Enter");
    await another.shows("Remove this calendar and everything in it?");
    another.type("y", "Enter");
    await another.shows("exit 0");
    expect((await installation.run("calendars")).stdout).toBe("");
  });

  test("control characters in a prompt do not reach the terminal", async () => {
    const terminal = openTerminal(createInstallation(), { columns: 100 });
    terminal.type("calctl service users add $'Ana\\e[31m\\u202e'", "Enter");
    await terminal.shows("Password for Ana\\x1b[31m\\u{202e}");
  });

  test("control characters of a title do not reach the terminal", async () => {
    const { installation } = await createEvent("\u001b[31mred\u202eder");
    const terminal = openTerminal(installation, { columns: 100 });
    terminal.type("calctl events list --days 2 --fields title", "Enter");
    await terminal.shows("\\x1b[31mred");
    expect(terminal.screen()).toContain("\\u{202e}");
  });
});

describeWithSystem("less", "output that is longer than the screen", () => {
  test("is shown in the pager, which may be left early", async () => {
    const terminal = openTerminal(createInstallation(), { columns: 80 });
    terminal.type(`calctl service openapi; echo "exit $?"`, "Enter");
    await terminal.shows('"openapi": "3.1.0"');
    expect(terminal.screen()).toMatch(/\n:$/);
    terminal.type("q");
    await terminal.shows("exit 0");
  });

  test("is paged if it is help, too, with commands by what people do", async () => {
    const terminal = openTerminal(createInstallation(), { columns: 80, rows: 16 });
    terminal.type(`calctl help commands; echo "exit $?"`, "Enter");
    await terminal.shows("Calendar:\n  agenda ");
    expect(terminal.screen()).toMatch(/\n:$/);
    terminal.type("G");
    await terminal.shows("(END)");
    terminal.type("q");
    await terminal.shows("exit 0");
  });

  test("turns its pages with the Page keys", async () => {
    const terminal = openTerminal(createInstallation(), { columns: 80, rows: 8 });
    terminal.type(`calctl month 2026-11; echo "exit $?"`, "Enter");
    await terminal.shows("Nov 2026");
    terminal.type("NPage");
    await terminal.shows("(END)");
    expect(terminal.screen()).not.toContain("Nov 2026");
    terminal.type("PPage");
    await terminal.shows("Nov 2026");
    terminal.type("q");
    await terminal.shows("exit 0");
  });

  test("is printed without a pager, or if there is none of that name", async () => {
    for (const pager of ["", "cat", "no-such-pager"]) {
      const terminal = openTerminal(createInstallation(), { columns: 80 });
      terminal.start(`PAGER=${pager} calctl service openapi; echo "exit $?"`);
      await terminal.shows("exit 0");
      expect(terminal.screen()).toContain("}\nexit 0");
    }
  });

  test("is read by a pager that gets no secret of this program", async () => {
    const env = { CALCTL_CLIENT_SECRET: "s3cret-1", CALCTL_WEBHOOK_URL: "https://s3cret-2.example" };
    const terminal = openTerminal(createInstallation({ ...env, PAGER: "env | grep ^CALCTL_; echo ended" }), {
      columns: 80,
    });
    terminal.start(`calctl service openapi; echo "exit $?"`);
    await terminal.shows("exit 0");
    expect(terminal.screen()).toMatch(/^ended\nexit 0/m);
    expect(terminal.screen()).not.toContain("s3cret");
  });

  test("is read by a pager of the user's own, with its arguments", async () => {
    const terminal = openTerminal(createInstallation(), { columns: 80 });
    terminal.start(`PAGER='grep -c schema' calctl service openapi; echo "exit $?"`);
    await terminal.shows("exit 0");
    expect(terminal.screen()).toMatch(/^\d+\nexit 0/m);
  });
});
