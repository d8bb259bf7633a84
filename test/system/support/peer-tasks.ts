/** Ten tasks of every day, each with what a person types for it in calctl and in two other calendars. */

/** A command line, and what its questions are answered with: a part of the question, and the answer. */
export interface Way {
  readonly line: string;
  readonly answers?: readonly (readonly [question: string, answer: string])[];
}

export interface Task {
  readonly title: string;
  readonly calctl: Way;
  /** Null where the program cannot do it. */
  readonly khal: Way | null;
  readonly gcalcli: Way | null;
  readonly writes?: true;
  /** What a screen then shows: that of the command, or of a list if it writes. */
  readonly shows: { readonly calctl: RegExp; readonly khal?: RegExp };
}

const LUNCH = "Lunch with Ana tomorrow noon at Noodle bar";

/** In the order in which they are run; an event is named by four characters: of its id or of its title. */
export const TASKS: readonly Task[] = [
  {
    title: "Lunch with Ana tomorrow from 12 to 13 at Noodle bar",
    calctl: { line: `calctl add ${LUNCH}`, answers: [["Create it?", ""]] },
    khal: { line: 'khal new tomorrow 12:00 Lunch with Ana -l "Noodle bar"' },
    gcalcli: { line: `gcalcli quick "${LUNCH}"` },
    writes: true,
    shows: {
      calctl: /tomorrow\n(?:.+\n)*.*12:00–13:00 +● Lunch with Ana +Noodle bar/,
      khal: /Tomorrow.*\n(?:.+\n)*12:00-13:00 Lunch with Ana Noodle bar/,
    },
  },
  {
    title: "What is on now or comes next",
    calctl: { line: "calctl next" },
    khal: { line: "khal list now" },
    gcalcli: { line: "gcalcli agenda" },
    shows: { calctl: /15:00–17:00.*Birthday party/, khal: /15:00-17:00 Birthday party/ },
  },
  {
    title: "The week",
    calctl: { line: "calctl week" },
    khal: { line: "khal list now 7d" },
    gcalcli: { line: "gcalcli calw" },
    shows: { calctl: /Fri 27 Nov[\s\S]*Choir/, khal: /Friday.*\n(?:.+\n)*.*Choir/ },
  },
  {
    title: "The month",
    calctl: { line: "calctl month" },
    khal: { line: "khal list now 30d" },
    gcalcli: { line: "gcalcli calm" },
    shows: { calctl: /Nov 2026[\s\S]*Choir/, khal: /Friday.*\n(?:.+\n)*.*Choir/ },
  },
  {
    title: "Which events overlap",
    calctl: { line: "calctl conflicts" },
    khal: null,
    gcalcli: { line: "gcalcli conflicts" },
    shows: { calctl: /Planning[\s\S]*Interview/ },
  },
  {
    title: "When two colleagues and I are free",
    calctl: { line: "calctl free --with Ben --with Cleo" },
    khal: null,
    gcalcli: null,
    shows: { calctl: /Tue 24 Nov/ },
  },
  {
    title: "A meeting of an hour on the next day, at the same time",
    calctl: { line: "calctl events update 21cc --by +1d" },
    khal: {
      line: "khal edit Plan",
      answers: [
        ["Edit?", "t"],
        ["datetime range [", "tue 9:00"],
        ["tue 9:00\nEdit?", "q"],
      ],
    },
    gcalcli: {
      line: "gcalcli edit Plan",
      answers: [
        ["Edit?", "w"],
        ["When:", "tue 9am"],
        ["Edit?", "s"],
      ],
    },
    writes: true,
    shows: {
      calctl: /Tue 24 Nov\n(?:.+\n)*.*09:00–10:00 +● Planning/,
      khal: /Tuesday.*\n(?:.+\n)*09:00-10:00 Planning/,
    },
  },
  {
    title: "The same meeting again a week later",
    calctl: { line: "calctl events copy 21cc --by +1w" },
    khal: null,
    gcalcli: null,
    writes: true,
    shows: { calctl: /Tue 1 Dec\n(?:.+\n)*.*09:00–10:00 +● Planning/ },
  },
  {
    title: "An event deleted",
    calctl: { line: "calctl rm 5e0f", answers: [["Delete this event?", "y"]] },
    khal: {
      line: "khal edit Choi",
      answers: [
        ["Edit?", "D"],
        ["Delete all", "y"],
      ],
    },
    gcalcli: { line: "gcalcli delete Choi", answers: [["Delete?", "y"]] },
    writes: true,
    shows: { calctl: /^(?![\s\S]*Choir)[\s\S]*Planning/, khal: /^(?![\s\S]*Choir)[\s\S]*Planning/ },
  },
  {
    title: "The deleted event back",
    calctl: { line: "calctl undo", answers: [["Undo ", "y"]] },
    khal: null,
    gcalcli: null,
    writes: true,
    shows: { calctl: /Fri 27 Nov\n(?:.+\n)*.*18:30–20:00 +● Choir/ },
  },
];

/** Every key, Enter too. */
function keystrokes({ line, answers = [] }: Way): number {
  return [line, ...answers.map(([, answer]) => answer)].reduce((sum, typed) => sum + typed.length + 1, 0);
}

const PROGRAMS = ["calctl", "khal", "gcalcli"] as const;

/** A row of the table, and how calctl compares: whether it needs the fewest keystrokes, and whether another one does, too. */
function compare(task: Task) {
  const counts = PROGRAMS.map((program) => {
    const way = task[program];
    return way === null ? Number.POSITIVE_INFINITY : keystrokes(way);
  });
  const fewest = Math.min(...counts);
  const cells = PROGRAMS.map((program, index) => {
    const [way, count] = [task[program], counts[index]];
    if (way === null) return "–";
    const typed = [way.line, ...(way.answers ?? []).map(([, answer]) => answer)];
    const keys = typed.map((text) => (text === "" ? "⏎" : `\`${text}\` ⏎`)).join(" ");
    return `${count === fewest ? `**${count}**` : count} ${keys}`;
  });
  return {
    row: `| ${[task.title, ...cells].join(" | ")} |`,
    isFewest: counts[0] === fewest,
    isTied: counts[0] === fewest && counts.slice(1).includes(fewest),
  };
}

/** The page with the table of tasks. */
export function peersPage(): string {
  const compared = TASKS.map(compare);
  const count = (which: "isFewest" | "isTied") => compared.filter((each) => each[which]).length;
  return `# calctl beside khal and gcalcli

Ten tasks of every day, and the keys that a person presses for each, counted by the test that draws this page. Every line is
typed in full, without completion, history and aliases. ⏎ is Enter, which counts as one; answers to questions count, too. Each
program has one calendar set for writing, so that no line names it, and an event is named by four characters: of its id in
calctl, of its title in the others. The lines of calctl and of khal 0.10 are typed on a terminal and what they do is checked;
those of gcalcli 4.3 are parsed, not run. The fewest keys are bold, – is what a program has no command for.

calctl needs the fewest in ${count("isFewest")} of ${TASKS.length}; in ${count("isTied")} of these another needs as few.

| task | ${PROGRAMS.join(" | ")} |
| --- | --- | --- | --- |
${compared.map(({ row }) => row).join("\n")}

## What they do better

- The table has commands and their questions alone. \`ikhal\`, the full-screen calendar of khal, shows what comes next, the
  week and the month after 6 keys, fewer than any command above; there \`p\` copies the selected event and \`d\` deletes it.
- khal keeps each event in a file: shared calendars can be read and changed without a network, and by any other program.
- khal and gcalcli find an event to change by a word of its title at any time; calctl by its id, or from a list of the next
  seven days.
- \`gcalcli quick\` has its service read the sentence, also that of an event that repeats.
- khal repeats events (\`--repeat\`) and sets alarms (\`--alarms\`).
`;
}
