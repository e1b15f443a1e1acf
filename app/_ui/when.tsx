import { formatWhen } from "../../db/rules/time-zone";
import { shortTime, zoneLabel } from "../_time/format";

interface WhenProps {
  atMs: number;
  timeZone: string;
  nowMs: number;
  /** `full` names the zone with its offset, for the one time that a page is about. */
  style?: "short" | "full";
  /** How the reader's language writes dates; the console's is English. */
  tag?: string;
  /** To the second, for what happens close together. */
  seconds?: boolean | undefined;
}

/** An instant in a zone, and which zone. The machine-readable instant goes with it. */
export function When({ atMs, timeZone, nowMs, tag = "en-GB", style = "short", seconds = false }: WhenProps) {
  const full = formatWhen(atMs, timeZone, tag);
  const iso = new Date(atMs).toISOString();
  if (style === "full") return <time dateTime={iso}>{full}</time>;
  return (
    <time dateTime={iso} title={full} className="whitespace-nowrap">
      {shortTime(atMs, timeZone, nowMs, tag, seconds)}{" "}
      <bdi className="text-[0.9em] text-ink-soft">{zoneLabel(timeZone)}</bdi>
    </time>
  );
}
