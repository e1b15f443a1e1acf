interface GaugeProps {
  /** 0 to 1; more is drawn as full. */
  part: number;
  tone: "good" | "attention" | "bad" | "quiet";
}

const FILL = { good: "bg-good", attention: "bg-attention", bad: "bg-bad", quiet: "bg-line-strong" };

/** How much of something is used. The number stands beside it; this is for the eye alone. */
export function Gauge({ part, tone }: GaugeProps) {
  const width = `${Math.max(0, Math.min(1, part)) * 100}%`;
  return (
    <span aria-hidden className="block h-1.5 w-full min-w-12 overflow-hidden rounded-full bg-sunken">
      <span className={`block h-full rounded-full ${FILL[tone]}`} style={{ width }} />
    </span>
  );
}

/** Near the limit is worth a look before it is passed. */
export function toneOf(part: number): GaugeProps["tone"] {
  if (part >= 1) return "bad";
  return part >= 0.5 ? "attention" : "good";
}
