import { Pause, Play, Square } from "lucide-react";
import type { GateOutcome } from "../../db/console/slos";
import type { RedriveDetail, RedriveProgress } from "../../db/redrive/views";
import type { RedriveVerdict } from "../../db/rules/redrive-verdict";
import { MEASURE_WORDS, measureValue, unjudged } from "../../db/rules/slo";
import { ButtonLink, TextLink } from "../_ui/button";
import { Notice } from "../_ui/notice";
import { Card } from "../_ui/page-parts";
import { StatusMark } from "../_ui/status-mark";
import { When } from "../_ui/when";
import { Fact, Facts } from "./facts";
import { ProgressBar } from "./redrive-progress";
import { limitWords, VERDICT_WORDS } from "./redrive-words";
import { Cell, DataTable, HeadCell, RowHead } from "./table";
import { count, duration, partitionName, partitionPath, perSecond } from "./words";

interface RedriveRunProps {
  redrive: RedriveDetail;
  mayAct: boolean;
  timeZone: string;
  nowMs: number;
}

/** A redrive that was started: how far it is, what paused it, its pace, and its levers. */
export function RedriveRun({ redrive, mayAct, timeZone, nowMs }: RedriveRunProps) {
  const path = `/ops/redrives/${redrive.id}`;
  const { state, progress } = redrive;
  return (
    <>
      {state === "paused" && (
        <Notice kind="attention">
          <p className="font-medium">
            {redrive.pauseKind === "operator" ? "Paused by an operator" : "It paused itself"}
            {redrive.pausedAtMs !== null && (
              <>
                {" "}
                at <When atMs={redrive.pausedAtMs} timeZone={timeZone} nowMs={nowMs} seconds />
              </>
            )}
          </p>
          <p>{redrive.pauseReason}</p>
        </Notice>
      )}
      <Card className="space-y-5">
        <h2 className="text-lg font-semibold">Progress</h2>
        <p role="status" className="sr-only">
          {`${count(progress.delivered)} of ${count(redrive.wouldSend)} delivered.`}
        </p>
        <ProgressBar progress={progress} wouldSend={redrive.wouldSend} />
        <Skipped progress={progress} />
        {mayAct && (state === "running" || state === "paused") && (
          <div className="flex flex-wrap gap-3 border-t border-line pt-5">
            {state === "running" ? (
              <ButtonLink kind="secondary" href={`${path}/pause`} prefetch={false}>
                <Pause aria-hidden className="size-4" />
                Pause redrive…
              </ButtonLink>
            ) : (
              <ButtonLink href={`${path}/resume`} prefetch={false}>
                <Play aria-hidden className="size-4" />
                Resume redrive…
              </ButtonLink>
            )}
            <ButtonLink kind="danger" href={`${path}/stop`} prefetch={false}>
              <Square aria-hidden className="size-4" />
              Stop redrive…
            </ButtonLink>
          </div>
        )}
      </Card>
      <Pace redrive={redrive} />
      <Result redrive={redrive} timeZone={timeZone} nowMs={nowMs} />
      {redrive.gate !== null && <GateAtEnd gate={redrive.gate} />}
    </>
  );
}

function Skipped({ progress }: { progress: RedriveProgress }) {
  const skipped = Object.entries(progress.skippedBy) as [RedriveVerdict, number][];
  if (skipped.length === 0 && progress.leftOut === 0) return null;
  return (
    <ul className="list-disc space-y-1 pl-5 text-sm text-ink-soft">
      {progress.leftOut > 0 && <li>{count(progress.leftOut)} were left out by the preview.</li>}
      {skipped.map(([verdict, value]) => (
        <li key={verdict}>
          {count(value)} skipped meanwhile: {VERDICT_WORDS[verdict].word}.
        </li>
      ))}
    </ul>
  );
}

function Pace({ redrive }: { redrive: RedriveDetail }) {
  if (redrive.partitions.length === 0) return null;
  const ended = redrive.state === "finished" || redrive.state === "stopped";
  return (
    <section aria-labelledby="pace" className="space-y-3">
      <h2 id="pace" className="text-lg font-semibold">
        Pace
      </h2>
      <DataTable
        caption="The pace of the redrive in each partition"
        head={
          <>
            <HeadCell>Partition</HeadCell>
            <HeadCell className="text-right">Released</HeadCell>
            <HeadCell className="text-right">To go</HeadCell>
            <HeadCell className="text-right">Pace</HeadCell>
            <HeadCell>Held down by</HeadCell>
          </>
        }
      >
        {redrive.partitions.map((line) => (
          <tr key={line.partition}>
            <RowHead className="min-w-40 break-all">
              <TextLink href={partitionPath(line.partition)}>{partitionName(line.partition)}</TextLink>
            </RowHead>
            <Cell className="text-right">{count(line.released)}</Cell>
            <Cell className="text-right">{count(line.pending)}</Cell>
            <Cell className="text-right">{ended ? "–" : perSecond(line.pace)}</Cell>
            <Cell className="min-w-40">
              {ended ? (
                "–"
              ) : (
                <>
                  {line.stage === "canary" && <StatusMark tone="working">canaries</StatusMark>}{" "}
                  {limitWords(line.limitedBy)}
                </>
              )}
            </Cell>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

function Result({ redrive, timeZone, nowMs }: Pick<RedriveRunProps, "redrive" | "timeZone" | "nowMs">) {
  const time = (atMs: number | null) =>
    atMs === null ? "–" : <When atMs={atMs} timeZone={timeZone} nowMs={nowMs} seconds />;
  return (
    <Card>
      <Facts>
        <Fact name="Started">{time(redrive.startedAtMs)}</Fact>
        <Fact name="Ended">{time(redrive.endedAtMs)}</Fact>
        <Fact name="Asked for">
          {redrive.askedPerSecond === null ? "what can be spared" : perSecond(redrive.askedPerSecond)}
        </Fact>
        <Fact name="Unknown outcomes">{redrive.includesAmbiguous ? "included" : "left out"}</Fact>
      </Facts>
    </Card>
  );
}

/** What the gate found when the redrive ended: whether live work stayed inside its promises. */
function GateAtEnd({ gate }: { gate: GateOutcome }) {
  const failed = gate.measures.filter((measure) => !measure.ok);
  return (
    <Card className="space-y-4">
      <h2 className="flex flex-wrap items-center gap-x-3 gap-y-2 text-lg font-semibold">
        Gate at its end
        <StatusMark tone={gate.ok ? "good" : "bad"}>
          {gate.ok ? "passed" : `${count(failed.length)} failed`}
        </StatusMark>
      </h2>
      <p className="text-ink-soft">
        {gate.measures.length === 0
          ? "Nothing waited and nothing was sent."
          : `The ${duration(gate.atMs - gate.sinceMs)} before its end against the service levels.`}
      </p>
      {failed.length > 0 && <Measures caption="Measures that failed" measures={failed} />}
      {gate.measures.length > 0 && (
        <details className="space-y-3">
          <summary className="inline-flex min-h-9 items-center font-medium text-accent-ink">
            {`All ${count(gate.measures.length)} measures`}
          </summary>
          <Measures caption="All measures of the gate" measures={gate.measures} />
        </details>
      )}
    </Card>
  );
}

function Measures({ caption, measures }: { caption: string; measures: GateOutcome["measures"] }) {
  return (
    <DataTable
      caption={caption}
      head={
        <>
          <HeadCell>Measure</HeadCell>
          <HeadCell className="text-right">Found</HeadCell>
          <HeadCell className="text-right">Limit</HeadCell>
          <HeadCell>Verdict</HeadCell>
        </>
      }
    >
      {measures.map(({ channel, lane, measure, value, limit, ok }) => (
        <tr key={`${channel} ${lane} ${measure}`}>
          <RowHead>
            {MEASURE_WORDS[measure]}
            <span className="block whitespace-nowrap text-ink-soft">
              {channel} · {lane}
            </span>
          </RowHead>
          <Cell className="text-right whitespace-nowrap">{measureValue(measure, value)}</Cell>
          <Cell className="text-right whitespace-nowrap">
            {limit === null ? "–" : measureValue(measure, limit)}
          </Cell>
          <Cell>
            {limit === null ? (
              <span className="text-ink-soft">{unjudged(measure)}</span>
            ) : (
              <StatusMark tone={ok ? "good" : "bad"}>{ok ? "ok" : "fails"}</StatusMark>
            )}
          </Cell>
        </tr>
      ))}
    </DataTable>
  );
}
