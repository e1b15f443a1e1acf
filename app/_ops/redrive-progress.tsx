import type { RedriveProgress } from "../../db/redrive/views";
import { count } from "./words";

interface ProgressBarProps {
  progress: RedriveProgress;
  wouldSend: number;
}

const PARTS = [
  { name: "delivered", word: "delivered", swatch: "bg-good" },
  { name: "dead", word: "died again", swatch: "swatch-dead" },
  { name: "expired", word: "expired", swatch: "bg-line-strong" },
  { name: "skipped", word: "skipped", swatch: "bg-quiet-soft border border-line-strong" },
  { name: "out", word: "on their way", swatch: "bg-accent" },
  { name: "pending", word: "to go", swatch: "bg-sunken border border-line" },
] as const;

/** How far a redrive has come, as a bar for the eye and as words with numbers for everybody. */
export function ProgressBar({ progress, wouldSend }: ProgressBarProps) {
  const all = Math.max(1, wouldSend);
  return (
    <div className="space-y-2">
      <div aria-hidden className="flex h-3 w-full overflow-hidden rounded-full bg-sunken">
        {PARTS.filter(({ name }) => progress[name] > 0).map(({ name, swatch }) => (
          <span key={name} className={swatch} style={{ width: `${(progress[name] / all) * 100}%` }} />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {PARTS.map(({ name, word, swatch }) => (
          <li key={name} className="inline-flex items-center gap-2">
            <span aria-hidden className={`size-3 rounded-sm ${swatch}`} />
            <span>
              <strong className="font-semibold tabular-nums">{count(progress[name])}</strong> {word}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
