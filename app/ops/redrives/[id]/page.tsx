import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { readRedrive } from "../../../../db/redrive/read";
import type { RedriveDetail } from "../../../../db/redrive/views";
import { requireReader } from "../../../_auth/operator";
import { ActionTable } from "../../../_ops/action-table";
import { ConfirmForm } from "../../../_ops/confirm-form";
import { PreviewTables } from "../../../_ops/redrive-preview";
import { RedriveRun } from "../../../_ops/redrive-run";
import { STATE_WORDS } from "../../../_ops/redrive-words";
import { count, counted, fromPath, one } from "../../../_ops/words";
import { LiveUpdates } from "../../../_reminders/live-updates";
import { pathSegment } from "../../../_shell/path-segment";
import { ButtonLink } from "../../../_ui/button";
import { Notice } from "../../../_ui/notice";
import { BackLink, Card, PageHeading } from "../../../_ui/page-parts";
import { StatusMark } from "../../../_ui/status-mark";
import { start } from "../actions";

export const metadata: Metadata = { title: "Redrive" };

const LOOK_AGAIN_MS = 2_000;

const DONE: Record<string, string> = {
  started: "The redrive has started with its canaries: one, then five.",
  joined: "It had been started already, by another click or another operator. Nothing was started twice.",
  paused: "Paused. What is on its way arrives.",
  running: "It goes on, with its canaries first.",
  stopped: "Stopped for good. What was not released stays dead.",
};

/** One redrive: its preview until it is confirmed, then how far it is, what holds it, and what operators did. */
export default async function RedrivePage({ params, searchParams }: PageProps<"/ops/redrives/[id]">) {
  const id = fromPath((await params).id);
  const { mayAct, timeZone, nowMs } = await requireReader(`/ops/redrives/${pathSegment(id)}`);
  const found = await readRedrive(id);
  if (!found.ok) notFound();
  const redrive = found.value;
  const { word, tone } = STATE_WORDS[redrive.state];
  const done = DONE[one(await searchParams, "done") ?? ""];
  const moving = redrive.state === "running" || redrive.state === "paused" || redrive.progress.out > 0;
  return (
    <div className="space-y-6">
      <BackLink href={redrive.state === "previewed" ? "/ops/dead-letters" : "/ops/redrives"}>
        {redrive.state === "previewed" ? "Dead letters" : "Redrives"}
      </BackLink>
      <PageHeading
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-2">
            {redrive.state === "previewed"
              ? "Preview of a redrive"
              : `Redrive of ${counted(redrive.wouldSend, "message", "messages")}`}
            <StatusMark tone={tone}>{word}</StatusMark>
          </span>
        }
        actions={moving ? <LiveUpdates lookAgainMs={LOOK_AGAIN_MS} readAtMs={nowMs} /> : undefined}
      >
        {redrive.reason !== null && (
          <p className="text-ink-soft">
            {redrive.operator}: “{redrive.reason}”
          </p>
        )}
      </PageHeading>
      {done !== undefined && (
        <Notice kind={redrive.state === "paused" ? "attention" : "good"}>
          <p>{done}</p>
        </Notice>
      )}
      {redrive.state === "previewed" ? (
        <Previewed redrive={redrive} mayAct={mayAct} />
      ) : (
        <>
          <RedriveRun redrive={redrive} mayAct={mayAct} timeZone={timeZone} nowMs={nowMs} />
          {redrive.preview !== null && (
            <details className="group space-y-4">
              <summary className="inline-flex min-h-9 items-center font-medium text-accent-ink">
                What the preview said
              </summary>
              <PreviewTables preview={redrive.preview} wouldSend={redrive.wouldSend} />
            </details>
          )}
          {redrive.actions.length > 0 && (
            <section aria-labelledby="actions" className="space-y-3">
              <h2 id="actions" className="text-lg font-semibold">
                What operators did
              </h2>
              <ActionTable
                actions={redrive.actions.map((action, index) => ({
                  ...action,
                  id: `${index}`,
                  target: redrive.id,
                }))}
                timeZone={timeZone}
                nowMs={nowMs}
                ofOneTarget
              />
            </section>
          )}
        </>
      )}
    </div>
  );
}

function Previewed({ redrive, mayAct }: { redrive: RedriveDetail; mayAct: boolean }) {
  const { preview, wouldSend, members } = redrive;
  if (preview === null) return null;
  return (
    <>
      <p className="text-lg">
        <strong>{count(wouldSend)}</strong> of {counted(members, "dead letter", "dead letters")} would be sent
        again. Nothing is sent yet.
      </p>
      <PreviewTables preview={preview} wouldSend={wouldSend} />
      <Card className="max-w-2xl space-y-5">
        <h2 className="text-lg font-semibold">Confirm</h2>
        {wouldSend === 0 ? (
          <div className="space-y-4">
            <p className="text-ink-soft">None of these would be sent, so there is nothing to confirm.</p>
            <ButtonLink kind="secondary" href="/ops/dead-letters">
              Back to the dead letters
            </ButtonLink>
          </div>
        ) : mayAct ? (
          <ConfirmForm
            action={start.bind(null, redrive.id)}
            chosen={{}}
            button={`Redrive ${counted(wouldSend, "message", "messages")}`}
            kind="danger"
            back={{ href: "/ops/dead-letters", name: "Leave them dead" }}
            typed={{
              label: "How many would be sent?",
              hint: `Type ${wouldSend} to confirm. This preview holds for half an hour.`,
            }}
          />
        ) : (
          <Notice kind="info">
            <p>Your role is read-only: an operator confirms.</p>
          </Notice>
        )}
      </Card>
    </>
  );
}
