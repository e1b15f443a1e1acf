import { CircleCheck, CircleDashed, CircleDot, CircleX, Clock, TriangleAlert } from "lucide-react";
import type { TimelineStep } from "../../db/rules/delivery-timeline";
import type { Tone } from "../../db/rules/words";
import { PhraseText } from "../_ui/phrase";
import { When } from "../_ui/when";

const ICONS: Record<Tone, { Icon: typeof Clock; className: string }> = {
  waiting: { Icon: Clock, className: "text-waiting" },
  working: { Icon: CircleDashed, className: "text-accent-ink" },
  good: { Icon: CircleCheck, className: "text-good" },
  attention: { Icon: TriangleAlert, className: "text-attention" },
  bad: { Icon: CircleX, className: "text-bad" },
  quiet: { Icon: CircleDot, className: "text-ink-soft" },
};

interface TimelineProps {
  steps: readonly TimelineStep[];
  timeZone: string;
  nowMs: number;
}

/** What happened in its order, and what lies ahead, each with why. */
export function Timeline({ steps, timeZone, nowMs }: TimelineProps) {
  return (
    <ol>
      {steps.map((step, index) => {
        const { Icon, className } = ICONS[step.tone];
        const last = index === steps.length - 1;
        return (
          <li
            key={step.key}
            className={`relative flex gap-3 pb-6 last:pb-0 ${step.ahead ? "opacity-90" : ""}`}
          >
            {!last && (
              <span
                aria-hidden
                className={`absolute top-6 bottom-0 left-[0.6875rem] border-l ${steps[index + 1]?.ahead ? "border-dashed border-line-strong" : "border-line-strong/60"}`}
              />
            )}
            <Icon
              aria-hidden
              className={`relative mt-0.5 size-[1.375rem] shrink-0 bg-surface ${className}`}
            />
            <div className="min-w-0 grow space-y-0.5">
              <div className="flex flex-wrap items-baseline justify-between gap-x-4">
                <h3 className="font-medium break-words">
                  {step.title}
                  {step.ahead && <span className="font-normal text-ink-soft"> (ahead)</span>}
                </h3>
                <span className="text-sm">
                  <When atMs={step.atMs} timeZone={timeZone} nowMs={nowMs} seconds />
                </span>
              </div>
              <p className="text-[0.9375rem] text-ink-soft [&_time]:whitespace-normal">
                <PhraseText phrase={step.why} timeZone={timeZone} nowMs={nowMs} />
              </p>
              {step.said !== null && (
                <p className="mt-1 inline-block rounded-md bg-sunken px-2 py-0.5 font-mono text-[0.8125rem] break-all">
                  {step.said}
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
