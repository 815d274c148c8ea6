const shape: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
};

/** Prints a time for people, in this machine's zone: `2026-11-27 14:05:10 CET`. */
export function localTime(date: Date): string {
  const parts = new Map(
    new Intl.DateTimeFormat("en-GB", shape).formatToParts(date).map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const day = `${part("year")}-${part("month")}-${part("day")}`;
  return `${day} ${part("hour")}:${part("minute")}:${part("second")} ${part("timeZoneName")}`;
}
