import { RotateCcw } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { listRedrives } from "../../../../db/redrive/read";
import { requireReader } from "../../../_auth/operator";
import { Pager } from "../../../_ops/pager";
import { ProgressBar } from "../../../_ops/redrive-progress";
import { ORIGIN_WORDS, STATE_WORDS } from "../../../_ops/redrive-words";
import { address, count, counted, one } from "../../../_ops/words";
import { ButtonLink, TextLink } from "../../../_ui/button";
import { EmptyState, PageHeading } from "../../../_ui/page-parts";
import { StatusMark } from "../../../_ui/status-mark";
import { When } from "../../../_ui/when";

export const metadata: Metadata = { title: "Redrives" };

/** One screen of redrives. */
const PAGE_SIZE = 20;

/** Every redrive that was started, the latest first, with how far it came. */
export default async function RedrivesPage({ searchParams }: PageProps<"/ops/redrives">) {
  const after = one(await searchParams, "after");
  const { timeZone, nowMs } = await requireReader("/ops/redrives");
  const page = await listRedrives({ limit: PAGE_SIZE, ...(after === undefined ? {} : { after }) });
  // A place that is not one of ours: the history begins at its beginning.
  if (!page.ok) redirect("/ops/redrives");
  const { redrives, next } = page.value;
  return (
    <div className="space-y-6">
      <PageHeading
        title="Redrives"
        actions={
          <ButtonLink kind="secondary" href="/ops/dead-letters">
            Choose dead letters
          </ButtonLink>
        }
      >
        <p className="max-w-2xl text-ink-soft">
          A redrive sends dead letters again under their own keys, paced, behind live work. It pauses itself
          when the provider says 429, when live work gets old, or when its messages die again.
        </p>
      </PageHeading>
      {redrives.length === 0 ? (
        <EmptyState icon={<RotateCcw aria-hidden className="size-6" />} title="No redrive yet">
          Choose dead letters, preview what would become of them, and confirm: it will stand here with its
          progress.
        </EmptyState>
      ) : (
        <ul className="space-y-4">
          {redrives.map((redrive) => (
            <li
              key={redrive.id}
              className="space-y-3 rounded-2xl border border-line bg-surface p-5 shadow-card"
            >
              <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
                <h2 className="font-semibold">
                  <TextLink href={`/ops/redrives/${redrive.id}`}>
                    {counted(redrive.wouldSend, "message", "messages")} of{" "}
                    {counted(redrive.members, "dead letter", "dead letters")}
                  </TextLink>
                </h2>
                <StatusMark tone={STATE_WORDS[redrive.state].tone}>
                  {STATE_WORDS[redrive.state].word}
                </StatusMark>
              </div>
              <p className="text-sm text-ink-soft">
                {redrive.operator ?? redrive.previewedBy},{" "}
                <When atMs={redrive.startedAtMs ?? redrive.createdAtMs} timeZone={timeZone} nowMs={nowMs} />,{" "}
                {ORIGIN_WORDS[redrive.origin]}
                {redrive.reason !== null && <>: “{redrive.reason}”</>}
              </p>
              {redrive.pauseReason !== null && <p className="text-attention">{redrive.pauseReason}</p>}
              <ProgressBar progress={redrive.progress} wouldSend={redrive.wouldSend} />
              {redrive.progress.leftOut > 0 && (
                <p className="text-sm text-ink-soft">{count(redrive.progress.leftOut)} were left out.</p>
              )}
            </li>
          ))}
        </ul>
      )}
      <Pager
        first={after === undefined ? null : "/ops/redrives"}
        next={next === null ? null : address("/ops/redrives", { after: next })}
      />
    </div>
  );
}
