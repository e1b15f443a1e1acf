import { Brush, Power } from "lucide-react";
import type { Metadata } from "next";
import { readCertainty } from "../../../../db/cleanup/certainty";
import { type Retention, readRetention } from "../../../../db/cleanup/retention";
import { type CleanupRun, readCleanupRuns, readCleanupSwitch } from "../../../../db/cleanup/runs";
import { transact } from "../../../../db/connection";
import { requireReader } from "../../../_auth/operator";
import { Cell, DataTable, HeadCell, NARROW, RowHead, WIDE } from "../../../_ops/table";
import { count, duration, one, plain } from "../../../_ops/words";
import { ButtonLink } from "../../../_ui/button";
import { Notice } from "../../../_ui/notice";
import { EmptyState, PageHeading } from "../../../_ui/page-parts";
import { StatusMark } from "../../../_ui/status-mark";
import { When } from "../../../_ui/when";

export const metadata: Metadata = { title: "Cleanup" };

/** A month of hourly runs would be read by nobody; two days are. */
const RUNS_SHOWN = 48;

/** What cleanup removed and what it refused to, how long each state is kept, and who approved that. */
export default async function CleanupPage({ searchParams }: PageProps<"/ops/cleanup">) {
  const { timeZone, nowMs } = await requireReader("/ops/cleanup");
  const [runs, state, retention, certainty] = await Promise.all([
    readCleanupRuns(RUNS_SHOWN),
    readCleanupSwitch(),
    readRetention(),
    transact((tx) => readCertainty(tx)),
  ]);
  const done = one(await searchParams, "done");
  return (
    <div className="space-y-8">
      <PageHeading
        title="Cleanup"
        actions={
          <ButtonLink kind={state.on ? "danger" : "primary"} href="/ops/cleanup/switch" prefetch={false}>
            <Power aria-hidden className="size-4" />
            {state.on ? "Switch cleanup off…" : "Switch cleanup on…"}
          </ButtonLink>
        }
      >
        <p className="max-w-2xl text-ink-soft">
          Removes only what has ended and is past its retention, counts before it deletes, and leaves the
          memory that keeps anything from being sent twice.
        </p>
      </PageHeading>
      {done === "switched" && (
        <Notice kind="good">
          <p>Cleanup is switched {state.on ? "on" : "off"}.</p>
        </Notice>
      )}
      {!state.on && (
        <Notice kind="attention">
          <p>
            Switched off by {state.offBy}: {state.offReason}
            {state.offAtMs !== null && (
              <>
                {", since "}
                <When atMs={state.offAtMs} timeZone={timeZone} nowMs={nowMs} />
              </>
            )}
            .
          </p>
        </Notice>
      )}
      {!certainty.certain && (
        <Notice kind="attention">
          <p>It removes nothing now: {certainty.why}.</p>
        </Notice>
      )}
      <section aria-labelledby="retention" className="space-y-3">
        <h2 id="retention" className="text-lg font-semibold">
          Retention
        </h2>
        <RetentionTable retention={retention} timeZone={timeZone} nowMs={nowMs} />
        <p className="text-sm text-ink-soft">
          A state without both approvals is not removed. Days and approvals are set with{" "}
          <code className="text-ink">npm run ops -- retention</code> and{" "}
          <code className="text-ink">approve</code>; nothing here can shorten them.
        </p>
      </section>
      <section aria-labelledby="runs" className="space-y-3">
        <h2 id="runs" className="text-lg font-semibold">
          Runs
        </h2>
        {runs.length === 0 ? (
          <EmptyState icon={<Brush aria-hidden className="size-6" />} title="No run yet">
            Each run stands here with what it counted before it removed anything.
          </EmptyState>
        ) : (
          <RunTable runs={runs} timeZone={timeZone} nowMs={nowMs} />
        )}
      </section>
    </div>
  );
}

interface Times {
  timeZone: string;
  nowMs: number;
}

function RetentionTable({ retention, timeZone, nowMs }: { retention: readonly Retention[] } & Times) {
  const approval = (who: string | null, atMs: number | null) =>
    who === null || atMs === null ? (
      <span className="text-attention">not yet</span>
    ) : (
      <>
        {who}, <When atMs={atMs} timeZone={timeZone} nowMs={nowMs} />
      </>
    );
  return (
    <DataTable
      caption="How long each state is kept, and who approved it"
      head={
        <>
          <HeadCell>State</HeadCell>
          <HeadCell className="text-right">Kept</HeadCell>
          <HeadCell className={WIDE}>Service level’s owner</HeadCell>
          <HeadCell className={WIDE}>Records’ owner</HeadCell>
          <HeadCell>Removed</HeadCell>
        </>
      }
    >
      {retention.map((row) => (
        <tr key={row.state}>
          <RowHead>{row.state}</RowHead>
          <Cell className="text-right whitespace-nowrap">{row.keepDays} days</Cell>
          <Cell className={`min-w-40 ${WIDE}`}>{approval(row.sloOwner, row.sloApprovedAtMs)}</Cell>
          <Cell className={`min-w-40 ${WIDE}`}>{approval(row.recordsOwner, row.recordsApprovedAtMs)}</Cell>
          <Cell>
            <StatusMark tone={row.approved ? "good" : "attention"}>
              {row.approved ? "yes" : "not approved"}
            </StatusMark>
            <span className={`block pt-1 text-ink-soft ${NARROW}`}>
              {[row.sloOwner, row.recordsOwner].filter((who) => who !== null).join(", ")}
            </span>
          </Cell>
        </tr>
      ))}
    </DataTable>
  );
}

const OUTCOMES = {
  running: { word: "running", tone: "working" },
  removed: { word: "removed", tone: "good" },
  refused: { word: "refused", tone: "attention" },
} as const;

function RunTable({ runs, timeZone, nowMs }: { runs: readonly CleanupRun[] } & Times) {
  return (
    <DataTable
      caption="Cleanup runs, the latest first"
      head={
        <>
          <HeadCell>Began</HeadCell>
          <HeadCell>Outcome</HeadCell>
          <HeadCell>Counted before</HeadCell>
          <HeadCell className="text-right">Removed</HeadCell>
          <HeadCell className="text-right">Batches</HeadCell>
          <HeadCell>Took</HeadCell>
        </>
      }
    >
      {runs.map((run) => (
        <tr key={run.id}>
          <RowHead className="whitespace-nowrap">
            <When atMs={run.startedAtMs} timeZone={timeZone} nowMs={nowMs} seconds />
          </RowHead>
          <Cell className="min-w-36">
            <StatusMark tone={OUTCOMES[run.outcome].tone}>{OUTCOMES[run.outcome].word}</StatusMark>
            {run.why !== null && <span className="mt-1 block text-ink-soft">{run.why}</span>}
          </Cell>
          <Cell className="min-w-48">
            {run.counted.length === 0
              ? "nothing is past its retention"
              : run.counted.map(({ state, reason, count: value }) => (
                  <span key={`${state} ${reason}`} className="block">
                    {count(value)} {state}
                    {reason !== null && ` (${plain(reason)})`}
                  </span>
                ))}
          </Cell>
          <Cell className="text-right">{count(run.removed)}</Cell>
          <Cell className="text-right">{count(run.batches)}</Cell>
          <Cell className="whitespace-nowrap">
            {run.finishedAtMs === null ? "under way" : duration(run.finishedAtMs - run.startedAtMs)}
          </Cell>
        </tr>
      ))}
    </DataTable>
  );
}
