import type { Api } from "../../api/client.js";
import type { Context } from "../../context.js";

type PausesContext = Pick<Context, "api" | "config" | "machine">;

/** Without streams, between two reads (ms): after a change the first, then twice as long each time, up to the longest. */
const PAUSES = { first: 2_000, longest: 30_000 };

/** The profile `local` has no limit, and no network. After a failure its pauses grow, too. */
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
  // Aborted by a stream, also during a read: then there is no pause after it.
  let change = new AbortController();
  const follow = createFollower(context, () => change.abort());
  let pause = first;
  let gap = 0;
  return {
    /** @param calendars those that were read; empty after a failure */
    async wait(hasChanged: boolean, calendars: readonly ReadCalendar[]): Promise<void> {
      const isFollowed = !isLocal && (await follow(calendars));
      const start = clock.now();
      const limit = calendars.length === 0 ? PAUSES.longest : longest;
      pause = hasChanged ? first : Math.min(pause, limit);
      const ended = AbortSignal.any([signal(), change.signal]);
      await clock.sleep(isFollowed ? FOLLOWED_PAUSE : pause, ended).catch((reason: unknown) => {
        if (!change.signal.aborted) throw reason;
      });
      pause *= 2;
      const isRare = !change.signal.aborted || clock.now() - start >= GAPS.longest;
      change = new AbortController();
      gap = isRare ? 0 : Math.min(Math.max(GAPS.first, 2 * gap), GAPS.longest);
      if (gap > 0) await clock.sleep(gap, signal());
    },
  };
}

/** Opens the streams that are missing, at most one of each calendar. @returns whether each of the calendars has one */
function createFollower({ api, machine: { signal } }: PausesContext, onChange: () => void) {
  const open = new Set<string>();
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
  return async (calendars: readonly ReadCalendar[]): Promise<boolean> => {
    const client = await api();
    if (client.lastResponse()?.extensions?.includes("stream") !== true) return false;
    const missing = calendars.filter(({ id }) => !open.has(id));
    await Promise.all(
      missing.map(({ id, revision }) => (revision === undefined ? null : start(client, id, revision))),
    );
    return calendars.length > 0 && calendars.every(({ id }) => open.has(id));
  };
}
