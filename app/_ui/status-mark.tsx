import { CircleCheck, CircleDashed, CircleMinus, CircleX, Clock, TriangleAlert } from "lucide-react";
import type { Tone } from "../../db/rules/words";

/** Each tone has a shape of its own, so that no status is told by colour alone. */
const TONES: Record<Tone, { className: string; Icon: typeof Clock }> = {
  waiting: { className: "bg-waiting-soft text-waiting", Icon: Clock },
  working: { className: "bg-accent-soft text-accent-ink", Icon: CircleDashed },
  good: { className: "bg-good-soft text-good", Icon: CircleCheck },
  attention: { className: "bg-attention-soft text-attention", Icon: TriangleAlert },
  bad: { className: "bg-bad-soft text-bad", Icon: CircleX },
  quiet: { className: "bg-quiet-soft text-quiet", Icon: CircleMinus },
};

/** A status as a word with a shape. */
export function StatusMark({ tone, children }: { tone: Tone; children: string }) {
  const { className, Icon } = TONES[tone];
  return (
    <span
      className={`inline-flex shrink-0 items-center gap-1.5 rounded-full py-0.5 ps-2 pe-2.5 text-sm font-medium whitespace-nowrap ${className}`}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      {children}
    </span>
  );
}
