import type { ReactNode } from "react";
import type { PartitionHealth } from "../../db/console/partitions";
import { DEAD_MAX, type Pulse } from "../../db/console/pulse";
import { TextLink } from "../_ui/button";
import { Notice } from "../_ui/notice";
import { When } from "../_ui/when";
import { type AgeSlo, oldestOf, verdictOf } from "./health";
import { address, counted, duration, partitionName, partitionPath } from "./words";

interface ConcernsProps {
  partitions: readonly PartitionHealth[];
  pulse: Pulse;
  slo: AgeSlo;
  outboxLag: { waiting: number; oldestMs: number | null };
  timeZone: string;
  nowMs: number;
}

interface Concern {
  key: string;
  kind: "bad" | "attention";
  words: ReactNode;
}

/** A sweep each minute, and half of another: then health checks take over (see `inngest/sweep.ts`). */
const SWEEP_OVERDUE_MS = 90_000;

/** The publisher's cron is the net: what is later than two of its ticks is not being published. */
const OUTBOX_OVERDUE_MS = 120_000;

/** What needs a look, the worst first, each with the way to it; or that nothing does. */
export function Concerns(props: ConcernsProps) {
  const concerns = [...ofLedger(props), ...ofPartitions(props)];
  if (concerns.length === 0) {
    return (
      <Notice kind="good">
        <p>
          Nothing needs a look: every partition is open, every lane is inside its service level, nobody waits
          for a decision, the sweep runs.
        </p>
      </Notice>
    );
  }
  return (
    <section aria-labelledby="concerns" className="space-y-3">
      <h2 id="concerns" className="text-lg font-semibold">
        Needs a look
      </h2>
      {concerns.map(({ key, kind, words }) => (
        <Notice key={key} kind={kind}>
          <p>{words}</p>
        </Notice>
      ))}
    </section>
  );
}

function ofLedger({ pulse, outboxLag, nowMs }: ConcernsProps): Concern[] {
  const found: Concern[] = [];
  if (pulse.held) {
    found.push({
      key: "held",
      kind: "bad",
      words: "The ledger is held: nothing is admitted and nothing begins.",
    });
  }
  if (pulse.lastSweepAgeMs === null || pulse.lastSweepAgeMs > SWEEP_OVERDUE_MS) {
    const age =
      pulse.lastSweepAgeMs === null
        ? "There has been no sweep"
        : `The last sweep began ${duration(pulse.lastSweepAgeMs)} ago`;
    found.push({ key: "sweep", kind: "bad", words: `${age}. Look at the engine: its crons may be gone.` });
  }
  const lagMs = outboxLag.oldestMs === null ? 0 : nowMs - outboxLag.oldestMs;
  if (lagMs > OUTBOX_OVERDUE_MS) {
    found.push({
      key: "outbox",
      kind: "bad",
      words: (
        <>
          {counted(outboxLag.waiting, "event waits", "events wait")} to be published, the oldest for{" "}
          {duration(lagMs)}. <TextLink href="/ops/outbox">Outbox</TextLink>
        </>
      ),
    });
  }
  return found;
}

/** Lanes whose oldest delivery has waited for longer than was promised. */
function ofLanes(health: PartitionHealth, slo: AgeSlo, link: ReactNode): Concern[] {
  return health.lanes.flatMap((lane) => {
    const [oldestMs, sloMs] = [oldestOf(lane), slo(health.channel, lane.lane)];
    if (oldestMs === null || sloMs === null || oldestMs < sloMs) return [];
    const deliveries = address("/ops/deliveries", { partition: health.partition, lane: lane.lane });
    const words = (
      <>
        {link}, {lane.lane}: the oldest is {duration(oldestMs)} past its time, of {duration(sloMs)} that are
        promised. <TextLink href={deliveries}>Its deliveries</TextLink>
      </>
    );
    return [{ key: `${health.partition}:${lane.lane}`, kind: "bad" as const, words }];
  });
}

function ofPartitions({ partitions, pulse, slo, timeZone, nowMs }: ConcernsProps): Concern[] {
  const found: Concern[] = [];
  for (const health of partitions) {
    const own = pulse.partitions.find((entry) => entry.partition === health.partition);
    const verdict = verdictOf(health, own);
    const link = (
      <TextLink href={partitionPath(health.partition)}>{partitionName(health.partition)}</TextLink>
    );
    if (verdict.tone === "bad" || verdict.tone === "attention") {
      found.push({
        key: `${health.partition}:closed`,
        kind: verdict.tone,
        words: (
          <>
            {link}: {verdict.word.toLowerCase()}. {verdict.why}{" "}
            {verdict.untilMs !== null && (
              <>
                Until <When atMs={verdict.untilMs} timeZone={timeZone} nowMs={nowMs} seconds />.
              </>
            )}
          </>
        ),
      });
    }
    found.push(...ofLanes(health, slo, link));
    if (own !== undefined && own.dead > 0) {
      const letters = address("/ops/dead-letters", { partition: health.partition });
      found.push({
        key: `${health.partition}:dead`,
        kind: "attention",
        words: (
          <>
            {link}: {counted(own.dead, "dead letter waits", "dead letters wait", DEAD_MAX)} for a decision.{" "}
            <TextLink href={letters}>Dead letters</TextLink>
          </>
        ),
      });
    }
    if (own !== undefined && own.limitsUntilMs !== null) {
      found.push({
        key: `${health.partition}:limits`,
        kind: "attention",
        words: (
          <>
            {link}: its limits are changed for a while, until{" "}
            <When atMs={own.limitsUntilMs} timeZone={timeZone} nowMs={nowMs} />.
          </>
        ),
      });
    }
  }
  return found.sort((one, other) => Number(other.kind === "bad") - Number(one.kind === "bad"));
}
