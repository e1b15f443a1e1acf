import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { listActions } from "../../../../db/console/actions";
import { readPartitionView } from "../../../../db/console/partition";
import { readSlos } from "../../../../db/console/slos";
import { requireReader } from "../../../_auth/operator";
import { ActionTable } from "../../../_ops/action-table";
import { Controls } from "../../../_ops/controls";
import { Code, Fact, Facts } from "../../../_ops/facts";
import { ageSloOf } from "../../../_ops/health";
import { HealthCard } from "../../../_ops/health-card";
import {
  address,
  duration,
  fromPath,
  one,
  partitionName,
  partitionPath,
  perSecond,
} from "../../../_ops/words";
import { LiveUpdates } from "../../../_reminders/live-updates";
import { TextLink } from "../../../_ui/button";
import { Notice } from "../../../_ui/notice";
import { BackLink, Card, PageHeading } from "../../../_ui/page-parts";
import { When } from "../../../_ui/when";

const LOOK_AGAIN_MS = 5_000;

/** The latest are what matters at night; the rest is one link away. */
const ACTIONS_SHOWN = 5;

const DONE: Record<string, string> = {
  paused: "Paused. Admitted work stops too: every claim asks before its call.",
  resumed: "Resumed. The rate starts at a fifth of the ceiling and ramps up with its successes.",
  limited: "The limits are set. They hold from the next admission and the next claim on.",
  "relief-written": "It is written down, and does nothing until it is switched on.",
  "relief-on": "It acts now and once a minute, until its time is over.",
  "relief-off": "It is off. What was given up stays given up.",
  weighed: "The weight is set. It holds from the next admission on.",
};

export async function generateMetadata({ params }: PageProps<"/ops/partitions/[key]">): Promise<Metadata> {
  return { title: partitionName(fromPath((await params).key)) };
}

/** One provider budget: what it does, what closes it, and every lever that it has. */
export default async function PartitionPage({ params, searchParams }: PageProps<"/ops/partitions/[key]">) {
  const key = fromPath((await params).key);
  const { mayAct, timeZone, nowMs } = await requireReader(partitionPath(key));
  const [view, slos, actions] = await Promise.all([
    readPartitionView(key),
    readSlos(),
    listActions({ target: key }, { limit: ACTIONS_SHOWN }),
  ]);
  if (view === null) notFound();
  const { health, pulse, notices } = view;
  const done = DONE[one(await searchParams, "done") ?? ""];
  return (
    <div className="space-y-6">
      <BackLink href="/ops">Overview</BackLink>
      <PageHeading
        title={partitionName(key)}
        actions={<LiveUpdates lookAgainMs={LOOK_AGAIN_MS} readAtMs={nowMs} />}
      >
        <p className="text-sm text-ink-soft">
          <Code>{key}</Code>
        </p>
      </PageHeading>
      {done !== undefined && (
        <Notice kind="good">
          <p>{done}</p>
        </Notice>
      )}
      {notices.map((notice) => (
        <Notice key={notice.kind} kind="attention">
          <p>
            {notice.kind === "quota" ? "The quota is used up" : "The provider refuses our configuration"} (
            {notice.detail}), since <When atMs={notice.openedAtMs} timeZone={timeZone} nowMs={nowMs} />.
            {notice.toldAtMs === null ? " Nobody could be told yet." : " Operators were told."}
          </p>
        </Notice>
      ))}
      <HealthCard health={health} pulse={pulse} slo={ageSloOf(slos)} timeZone={timeZone} nowMs={nowMs} />
      <Controls health={health} mayAct={mayAct} />
      <Card className="space-y-4">
        <h2 className="text-lg font-semibold">Meter</h2>
        <Facts>
          <Fact name="Ceiling">
            {perSecond(health.ceiling)}
            {pulse.limitsUntilMs !== null && (
              <>
                {" until "}
                <When atMs={pulse.limitsUntilMs} timeZone={timeZone} nowMs={nowMs} />
              </>
            )}
          </Fact>
          <Fact name="Ceiling that the provider names">
            {health.observedCeiling ? perSecond(health.observedCeiling) : "none"}
          </Fact>
          <Fact name="Burst">{health.burst}</Fact>
          <Fact name="Calls at once">{health.concurrency}</Fact>
          <Fact name="Left to urgent and standard">{Math.round(pulse.headroom * 100)} %</Fact>
          <Fact name="Call time">{duration(health.callMs)}</Fact>
          <Fact name="Last cut of the rate">
            {pulse.lastCutAtMs === null ? (
              "never"
            ) : (
              <When atMs={pulse.lastCutAtMs} timeZone={timeZone} nowMs={nowMs} seconds />
            )}
          </Fact>
          <Fact name="Epoch · owner">
            {health.epoch} · {health.owner}
          </Fact>
        </Facts>
      </Card>
      <section aria-labelledby="actions" className="space-y-3">
        <h2 id="actions" className="text-lg font-semibold">
          What operators did here
        </h2>
        {actions.ok && actions.value.actions.length > 0 ? (
          <>
            <ActionTable actions={actions.value.actions} timeZone={timeZone} nowMs={nowMs} ofOneTarget />
            <TextLink href={address("/ops/audit", { target: key })}>All actions on this partition</TextLink>
          </>
        ) : (
          <p className="text-ink-soft">Nothing yet.</p>
        )}
      </section>
    </div>
  );
}
