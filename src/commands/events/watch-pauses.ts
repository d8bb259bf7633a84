import type { Api } from "../../api/client.js";
import type { Context } from "../../context.js";

type PausesContext = Pick<Context, "api" | "config" | "machine">;

/** Without streams, between two reads (ms): after a change the first, then twice as long each time, up to the longest. */
const PAUSES = { first: 2_000, longest: 30_000 };

/** The profile `local` has no limit, and no network. */
const LOCAL_PAUSES = { first: 1_000, longest: 1_000 };

/** With a stream of each calendar (ms): other calendars and days may come into view. */
const FOLLOWED_PAUSE = 300_000;

/** Between reads for which streams have asked (ms): none at first, longer while there are many changes, so that one read has several. */
const GAPS = { first: 500, longest: 5_000 };

/** A calendar as far as it was read. */
export interface ReadCalendar {
  readonly id: string;
  /** Undefined where the service has none. */
  readonly revision?: number;
}

/** Pauses between reads. Where the service has streams of changes, they end a pause. */
export function createPauses(context: PausesContext) {
  const { clock, signal } = context.machine;
  const isLocal = context.config.settings().service.kind === "local";
  const { first, longest } = isLocal ? LOCAL_PAUSES : PAUSES;
  const streams = createStreams(context);
  let pause = first;
  let gap = 0;
  return {
    /** @param calendars those that were read; empty after a failure */
    async wait(hasChanged: boolean, calendars: readonly ReadCalendar[]): Promise<void> {
      const isFollowed = !isLocal && (await streams.follow(calendars));
      const start = clock.now();
      if (hasChanged) pause = first;
      const isAsked = await streams.untilChange((woken) =>
        clock.sleep(isFollowed ? FOLLOWED_PAUSE : pause, woken),
      );
      pause = Math.min(2 * pause, longest);
      const isRare = clock.now() - start >= GAPS.longest;
      gap = isAsked && !isRare ? Math.min(Math.max(GAPS.first, 2 * gap), GAPS.longest) : 0;
      if (gap > 0) await clock.sleep(gap, signal());
    },
  };
}

/** The streams of a run, at most one of each calendar. */
function createStreams({ api, machine: { signal } }: PausesContext) {
  const open = new Set<string>();
  let hasChange = false;
  let wake = new AbortController();
  const onChange = () => {
    hasChange = true;
    wake.abort();
  };
  /** Resolves when the stream is open, or cannot be. */
  const start = ({ followChanges }: Pick<Api, "followChanges">, calendarId: string, since: number) =>
    new Promise<void>((resolve) => {
      const onOpen = () => {
        open.add(calendarId);
        resolve();
      };
      const end = () => {
        // What is written until it is open again, and why it ended, the next read says.
        if (open.delete(calendarId)) onChange();
        resolve();
      };
      followChanges({ calendarId, since, onOpen, onChange, signal: signal() }).then(end, end);
    });
  return {
    /** Opens those that are missing. @returns whether each of the calendars has one */
    async follow(calendars: readonly ReadCalendar[]): Promise<boolean> {
      const client = await api();
      if (client.lastResponse()?.extensions?.includes("stream") !== true) return false;
      const missing = calendars.filter(({ id }) => !open.has(id));
      await Promise.all(
        missing.map(({ id, revision }) => (revision === undefined ? null : start(client, id, revision))),
      );
      return calendars.length > 0 && calendars.every(({ id }) => open.has(id));
    },
    /** Sleeps, unless there was a change since the last sleep. @returns whether there was one by its end */
    async untilChange(sleep: (ended: AbortSignal) => Promise<void>): Promise<boolean> {
      wake = new AbortController();
      try {
        if (!hasChange) await sleep(AbortSignal.any([signal(), wake.signal]));
      } catch (error) {
        if (!wake.signal.aborted) throw error;
      }
      const changed = hasChange;
      hasChange = false;
      return changed;
    },
  };
}
