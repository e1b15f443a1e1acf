import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { LANE_COUNT_MAX, type LaneHealth, type PartitionHealth } from "../../db/console/partitions";
import { DEAD_MAX, type PartitionPulse } from "../../db/console/pulse";
import type { Channel } from "../../db/rules/outcome";
import { ChannelIcon } from "../_ui/channel-icon";
import { StatusMark } from "../_ui/status-mark";
import { When } from "../_ui/when";
import { Gauge, toneOf } from "./gauge";
import { type AgeSlo, oldestOf, verdictOf } from "./health";
import { address, count, duration, partitionName, partitionPath, perSecond, plain, share } from "./words";

interface HealthCardProps {
  health: PartitionHealth;
  pulse: PartitionPulse | undefined;
  slo: AgeSlo;
  timeZone: string;
  nowMs: number;
}

/** One partition at a glance: whether it sends, how fast, how old its queues are, and what is wrong. */
export function HealthCard({ health, pulse, slo, timeZone, nowMs }: HealthCardProps) {
  const verdict = verdictOf(health, pulse);
  return (
    <article className="rounded-2xl border border-line bg-surface shadow-card">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-4 sm:px-5">
        <h3 className="min-w-0 text-[0.9375rem] font-semibold">
          <Link
            href={partitionPath(health.partition)}
            className="inline-flex min-h-8 items-center gap-2 break-all hover:underline"
          >
            <ChannelIcon channel={health.channel as Channel} className="size-4 shrink-0 text-ink-soft" />
            {partitionName(health.partition)}
            <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-soft" />
          </Link>
        </h3>
        <StatusMark tone={verdict.tone}>{verdict.word}</StatusMark>
      </div>
      {verdict.why !== null && (
        <p className="px-4 pt-1 text-sm text-ink-soft sm:px-5">
          {verdict.why}
          {verdict.untilMs !== null && (
            <>
              {" "}
              Until <When atMs={verdict.untilMs} timeZone={timeZone} nowMs={nowMs} seconds />.
            </>
          )}
          {verdict.untilMs === null && verdict.word === "Paused" && " Until somebody resumes it."}
        </p>
      )}
      <Vitals health={health} pulse={pulse} />
      <Lanes health={health} slo={slo} />
    </article>
  );
}

function Vitals({ health, pulse }: Pick<HealthCardProps, "health" | "pulse">) {
  const ceiling = Math.min(health.ceiling, health.observedCeiling || health.ceiling);
  const part = ceiling > 0 ? Math.min(health.rate, ceiling) / ceiling : 0;
  const throttled = pulse === undefined || pulse.calls === 0 ? null : pulse.throttled / pulse.calls;
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 px-4 py-4 text-sm sm:grid-cols-[1fr_1fr_1.25fr_0.9fr] sm:px-5">
      <div>
        <dt className="text-ink-soft">Rate of ceiling</dt>
        <dd className="space-y-1.5 tabular-nums">
          {perSecond(Math.min(health.rate, ceiling)).replace("/s", "")} of {perSecond(ceiling)}
          <Gauge part={part} tone={part < 0.5 ? "attention" : "good"} />
        </dd>
      </div>
      <div>
        <dt className="text-ink-soft">429, last 5 min</dt>
        <dd className="tabular-nums">
          {throttled === null ? "no calls" : `${share(throttled)} of ${count(pulse?.calls ?? 0)}`}
        </dd>
      </div>
      <div>
        <dt className="text-ink-soft">Circuit · pump</dt>
        <dd>
          {plain(pulse?.circuit ?? "closed")} · {pulse?.pumpLive ? "running" : "resting"}
        </dd>
      </div>
      <div>
        <dt className="text-ink-soft">Dead letters</dt>
        <dd className="tabular-nums">
          {pulse === undefined || pulse.dead === 0 ? (
            "none"
          ) : (
            <Link
              href={address("/ops/dead-letters", { partition: health.partition })}
              className="inline-flex min-h-6 items-center font-medium text-bad underline underline-offset-2"
            >
              {count(pulse.dead, DEAD_MAX)}
            </Link>
          )}
        </dd>
      </div>
    </dl>
  );
}

function Lanes({ health, slo }: Pick<HealthCardProps, "health" | "slo">) {
  return (
    <table className="w-full border-t border-line text-left text-sm tabular-nums">
      <caption className="sr-only">Lanes of {partitionName(health.partition)}</caption>
      <thead className="text-ink-soft">
        <tr>
          <th scope="col" className="py-1.5 pl-4 font-medium sm:pl-5">
            Lane
          </th>
          <th scope="col" className="w-2/5 px-2 py-1.5 font-medium">
            Oldest
          </th>
          <th scope="col" className="px-2 py-1.5 text-right font-medium">
            Ready
          </th>
          <th scope="col" className="px-2 py-1.5 text-right font-medium">
            Later
          </th>
          <th scope="col" className="py-1.5 pr-4 pl-2 text-right font-medium sm:pr-5">
            Out
          </th>
        </tr>
      </thead>
      <tbody>
        {health.lanes.map((lane) => (
          <LaneRow key={lane.lane} lane={lane} sloMs={slo(health.channel, lane.lane)} />
        ))}
      </tbody>
    </table>
  );
}

function LaneRow({ lane, sloMs }: { lane: LaneHealth; sloMs: number | null }) {
  const oldestMs = oldestOf(lane);
  const part = oldestMs === null || sloMs === null ? 0 : oldestMs / sloMs;
  const idle = lane.ready + lane.waiting + lane.sending === 0;
  return (
    <tr className={`border-t border-line ${idle ? "text-ink-soft" : ""}`}>
      <th scope="row" className="py-2 pl-4 font-normal sm:pl-5">
        {lane.lane}
      </th>
      <td className="px-2 py-2">
        {oldestMs === null ? (
          "–"
        ) : (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className={part >= 1 ? "font-semibold text-bad" : ""}>
              {duration(oldestMs)}
              {sloMs !== null && (
                <span className="font-normal text-ink-soft">
                  {" "}
                  of {duration(sloMs)}
                  {part >= 1 && <span className="sr-only">, over its SLO</span>}
                </span>
              )}
            </span>
            {sloMs !== null && <Gauge part={part} tone={toneOf(part)} />}
          </span>
        )}
      </td>
      <td className="px-2 py-2 text-right">{count(lane.ready, LANE_COUNT_MAX)}</td>
      <td className="px-2 py-2 text-right">{count(lane.waiting, LANE_COUNT_MAX)}</td>
      <td className="py-2 pr-4 pl-2 text-right sm:pr-5">{count(lane.sending)}</td>
    </tr>
  );
}
