import { ChevronDown } from "lucide-react";
import type { Flow, FlowBucket } from "../../db/console/flow";
import { shortTime, zoneLabel } from "../_time/format";
import { Cell, DataTable, HeadCell, RowHead } from "./table";
import { count, duration } from "./words";

/** Each kind has a pattern of its own besides its colour, in the bar and in the legend. */
const KINDS = [
  { name: "sent", word: "Sent", fill: "fill-good", swatch: "bg-good" },
  { name: "deferred", word: "Deferred", fill: "fill-[url(#deferred)]", swatch: "swatch-deferred" },
  { name: "dead", word: "Dead", fill: "fill-[url(#dead)]", swatch: "swatch-dead" },
] as const;

const WIDTH = 720;
const HEIGHT = 160;
const TOP = 8;
const BASE = HEIGHT - 20;

interface FlowChartProps {
  flow: Flow;
  timeZone: string;
}

/** What left, was put off and died over time: bars for the eye, the same numbers as a table for everybody. */
export function FlowChart({ flow, timeZone }: FlowChartProps) {
  const { buckets, bucketMs, nowMs } = flow;
  const most = niceCeiling(Math.max(...buckets.map(sum)));
  const totals = KINDS.map((kind) => ({
    ...kind,
    total: buckets.reduce((all, bucket) => all + bucket[kind.name], 0),
  }));
  const clock = (atMs: number) =>
    shortTime(atMs, timeZone, nowMs, "en-GB", bucketMs < 60_000).slice(-(bucketMs < 60_000 ? 8 : 5));
  const summary = totals.map(({ word, total }) => `${word} ${count(total)}`).join(", ");
  return (
    <figure className="space-y-3">
      <figcaption className="flex flex-wrap items-center gap-x-5 gap-y-1 text-sm">
        {totals.map(({ name, word, swatch, total }) => (
          <span key={name} className="inline-flex items-center gap-2">
            <span aria-hidden className={`size-3 rounded-sm ${swatch}`} />
            {word} <strong className="font-semibold tabular-nums">{count(total)}</strong>
          </span>
        ))}
        <span className="text-ink-soft">one bar is {duration(bucketMs)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${summary}, from ${clock(buckets[0]?.fromMs ?? nowMs)} to ${clock(nowMs)} ${zoneLabel(timeZone)}. The table below has the numbers.`}
        className="h-40 w-full"
        preserveAspectRatio="none"
      >
        <Patterns />
        {[0.5, 1].map((part) => (
          <line
            key={part}
            x1={0}
            x2={WIDTH}
            y1={BASE - part * (BASE - TOP)}
            y2={BASE - part * (BASE - TOP)}
            className="stroke-line"
            vectorEffect="non-scaling-stroke"
          />
        ))}
        {buckets.map((bucket, index) => (
          <Bar key={bucket.fromMs} bucket={bucket} index={index} of={buckets.length} most={most} />
        ))}
        <line
          x1={0}
          x2={WIDTH}
          y1={BASE}
          y2={BASE}
          className="stroke-line-strong"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <div aria-hidden className="-mt-6 flex justify-between text-xs text-ink-soft tabular-nums">
        <span>{clock(buckets[0]?.fromMs ?? nowMs)}</span>
        <span>
          top {count(most)} · {zoneLabel(timeZone)}
        </span>
        <span>{clock(nowMs)}</span>
      </div>
      <FlowTable buckets={buckets} clock={clock} />
    </figure>
  );
}

function Bar({ bucket, index, of, most }: { bucket: FlowBucket; index: number; of: number; most: number }) {
  const width = WIDTH / of;
  let y = BASE;
  return (
    <g>
      {KINDS.map(({ name, fill }) => {
        const height = (bucket[name] / most) * (BASE - TOP);
        if (height === 0) return null;
        // What is there is seen, however much there is of the rest.
        const shown = Math.max(2, height);
        y -= shown;
        return (
          <rect
            key={name}
            x={index * width + width * 0.12}
            y={y}
            width={width * 0.76}
            height={shown}
            className={fill}
          />
        );
      })}
    </g>
  );
}

function Patterns() {
  return (
    <defs>
      <pattern id="deferred" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" className="fill-attention-soft" />
        <rect width="3" height="6" className="fill-attention" />
      </pattern>
      <pattern id="dead" width="4" height="4" patternUnits="userSpaceOnUse">
        <rect width="4" height="4" className="fill-bad" />
        <rect width="4" height="1.2" className="fill-surface" />
      </pattern>
    </defs>
  );
}

function FlowTable({ buckets, clock }: { buckets: readonly FlowBucket[]; clock: (atMs: number) => string }) {
  const busy = buckets.filter((bucket) => sum(bucket) > 0).reverse();
  return (
    <details className="group text-sm">
      <summary className="inline-flex min-h-9 items-center gap-1 font-medium text-accent-ink">
        <ChevronDown aria-hidden className="size-4 group-open:rotate-180 motion-safe:transition-transform" />
        The numbers as a table
      </summary>
      {busy.length === 0 ? (
        <p className="pt-1 text-ink-soft">Nothing was called and nothing died in this time.</p>
      ) : (
        <div className="max-h-96 overflow-y-auto pt-2">
          <DataTable
            caption="Sent, deferred and dead over time, the latest first; times without any are left out"
            head={
              <>
                <HeadCell>From</HeadCell>
                {KINDS.map(({ name, word }) => (
                  <HeadCell key={name} className="text-right">
                    {word}
                  </HeadCell>
                ))}
              </>
            }
          >
            {busy.map((bucket) => (
              <tr key={bucket.fromMs}>
                <RowHead>{clock(bucket.fromMs)}</RowHead>
                {KINDS.map(({ name }) => (
                  <Cell key={name} className="text-right">
                    {count(bucket[name])}
                  </Cell>
                ))}
              </tr>
            ))}
          </DataTable>
        </div>
      )}
    </details>
  );
}

const sum = ({ sent, deferred, dead }: FlowBucket) => sent + deferred + dead;

/** The next round number: 1, 2 or 5 times a power of ten. */
function niceCeiling(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  const step = [1, 2, 5, 10].find((factor) => factor * magnitude >= value) ?? 10;
  return step * magnitude;
}
