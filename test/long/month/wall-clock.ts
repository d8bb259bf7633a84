/** Clocks of zones as the platform's own `Intl` has them: nothing of the program is asked. */
export interface WallClock {
  readonly zone: string;
  /** What the clock shows, as if it were UTC (ms). */
  show(instant: number): number;
  /** `YYYY-MM-DD` */
  date(instant: number): string;
  /** When the clock shows a time; skipped or repeated times are read with the offset at that day's midnight (RFC 5545 §3.3.5). */
  instant(date: string, time: string): number;
}

export function createWallClock(zone: string): WallClock {
  // Swedish dates are those of ISO 8601.
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const show = (instant: number): number =>
    Date.parse(`${format.format(instant).replace(" ", "T")}Z`) + (instant % 1000);
  const offset = (instant: number): number => show(instant) - instant;
  return {
    zone,
    show,
    date: (instant) => format.format(instant).slice(0, 10),
    instant(date, time) {
      const shown = Date.parse(`${date}T${time}:00Z`);
      const midnight = Date.parse(`${date}T00:00:00Z`);
      const before = offset(midnight - offset(midnight));
      const [early, late] = [shown - before, shown - offset(shown - before)];
      return show(early) === shown || show(late) !== shown ? early : late;
    },
  };
}
