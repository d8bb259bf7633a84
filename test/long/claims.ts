/**
 * What the exit codes claim about the service's state. A create of 0 is there once, of 9 zero or one times, any other
 * not at all; an update or delete of 0 was done, of 8 or 11 may have been, any other was not.
 */
export interface Claims {
  created(marker: string, exitCode: number, id: string | null): void;
  updated(event: ClaimedEvent, title: string, exitCode: number): void;
  deleted(event: ClaimedEvent, exitCode: number): void;
  commented(event: ClaimedEvent, text: string, exitCode: number): void;
  /** Events that a command can be sent to. */
  readonly reachable: readonly ClaimedEvent[];
  /** Where the state is not what the exit codes claim, a line each. */
  compare(state: ServiceState): readonly string[];
}

interface ClaimedEvent {
  readonly marker: string;
  readonly id: string;
}

export interface ServiceState {
  /** Marker and title of every event. */
  readonly events: readonly { readonly marker: string; readonly title: string }[];
  readonly comments: readonly string[];
}

type Presence = "there" | "gone" | "unknown";

interface Claimed {
  readonly marker: string;
  readonly id: string | null;
  presence: Presence;
  titles: Set<string>;
}

export function createClaims(): Claims {
  const events = new Map<string, Claimed>();
  const comments = new Map<string, { readonly event: ClaimedEvent; readonly presence: Presence }>();
  const recordOf = ({ marker }: ClaimedEvent): Claimed => {
    const record = events.get(marker);
    if (record === undefined) throw new Error(`nobody created ${marker}`);
    return record;
  };
  const lies: string[] = [];
  const missed = (record: Claimed): void => {
    if (record.presence === "there") lies.push(`${record.marker}: exit 5, though nothing had deleted it`);
    record.presence = "gone";
  };
  return {
    created(marker, exitCode, id) {
      events.set(marker, { marker, id, presence: presenceAfter(exitCode), titles: new Set([marker]) });
    },
    updated(event, title, exitCode) {
      const record = recordOf(event);
      if (exitCode === 0) {
        record.titles = new Set([title]);
        record.presence = "there";
      } else if (exitCode === 8 || exitCode === 11) record.titles.add(title);
      else if (exitCode === 5) missed(record);
    },
    deleted(event, exitCode) {
      const record = recordOf(event);
      if (exitCode === 0) record.presence = "gone";
      else if (exitCode === 5) missed(record);
      else if (exitCode === 8 || exitCode === 11) record.presence = "unknown";
    },
    commented(event, text, exitCode) {
      if (exitCode === 5) missed(recordOf(event));
      comments.set(text, { event, presence: presenceAfter(exitCode) });
    },
    get reachable() {
      return [...events.values()].flatMap(({ marker, id, presence }) =>
        id === null || presence === "gone" ? [] : [{ marker, id }],
      );
    },
    compare: (state) => [
      ...lies,
      ...[...events.values()].flatMap((record) => compareEvent(record, state)),
      ...[...comments].flatMap(([text, { event, presence }]) => {
        const count = state.comments.filter((comment) => comment === text).length;
        // An event takes its comments along.
        if (count === 0 && recordOf(event).presence !== "there") return [];
        return compareCount(text, presence, count);
      }),
      ...state.events
        .filter(({ marker }) => !events.has(marker))
        .map(({ marker }) => `${marker}: from nowhere`),
    ],
  };
}

function presenceAfter(exitCode: number): Presence {
  if (exitCode === 0) return "there";
  return exitCode === 9 ? "unknown" : "gone";
}

function compareEvent({ marker, presence, titles }: Claimed, state: ServiceState): readonly string[] {
  const found = state.events.filter((event) => event.marker === marker);
  const wrongTitles = found
    .filter(({ title }) => !titles.has(title))
    .map(({ title }) => `${marker}: the title is ${title}, not one of ${[...titles].join(", ")}`);
  return [...compareCount(marker, presence, found.length), ...wrongTitles];
}

function compareCount(name: string, presence: Presence, count: number): readonly string[] {
  const allowed = presence === "there" ? [1] : presence === "gone" ? [0] : [0, 1];
  return allowed.includes(count) ? [] : [`${name}: is there ${count} times, though it should be ${presence}`];
}
