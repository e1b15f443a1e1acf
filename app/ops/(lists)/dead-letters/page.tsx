import { RotateCcw, SearchX, Skull } from "lucide-react";
import type { Metadata } from "next";
import { ANSWERS_OF, type DeadLetterGroup, groupDeadLetters } from "../../../../db/console/dead-letters";
import { readPartitionKeys } from "../../../../db/console/pulse";
import type { DeadLetterFilter } from "../../../../db/redrive/filter";
import { requireReader } from "../../../_auth/operator";
import { deadAddress, readDeadFilter } from "../../../_ops/dead-filter";
import { DeadFilterForm } from "../../../_ops/dead-filter-form";
import { Cell, DataTable, HeadCell, NARROW, RowHead, WIDE } from "../../../_ops/table";
import { count, counted, one, partitionName, plain } from "../../../_ops/words";
import { ButtonLink, TextLink } from "../../../_ui/button";
import { ChannelIcon } from "../../../_ui/channel-icon";
import { Notice } from "../../../_ui/notice";
import { EmptyState, PageHeading } from "../../../_ui/page-parts";
import { When } from "../../../_ui/when";

export const metadata: Metadata = { title: "Dead letters" };

/** What died, by partition, reason and time: one row is one incident, usually. */
export default async function DeadLettersPage({ searchParams }: PageProps<"/ops/dead-letters">) {
  const query = await searchParams;
  const filter = readDeadFilter(query);
  const here = deadAddress("/ops/dead-letters", filter);
  const { timeZone, nowMs } = await requireReader(here);
  const [{ groups, total }, partitions] = await Promise.all([groupDeadLetters(filter), readPartitionKeys()]);
  return (
    <div className="space-y-6">
      <PageHeading
        title="Dead letters"
        actions={
          total > 0 && (
            <ButtonLink href={deadAddress("/ops/redrives/new", filter)} prefetch={false}>
              <RotateCcw aria-hidden className="size-4" />
              Redrive {total === 1 ? "it" : `these ${count(total)}`}…
            </ButtonLink>
          )
        }
      >
        <p className="max-w-2xl text-ink-soft">
          Deliveries that need a decision. Find the cause, repair it, then redrive: the preview says what
          would become of each before anything is sent.
        </p>
      </PageHeading>
      {one(query, "done") === "moved" && (
        <Notice kind="good">
          <p>
            {counted(Number(one(query, "moved") ?? 0), "dead letter", "dead letters")} moved
            {Number(one(query, "unchanged") ?? 0) > 0 &&
              `; ${one(query, "unchanged")} had changed meanwhile and were left alone`}
            .
          </p>
        </Notice>
      )}
      <DeadFilterForm
        action="/ops/dead-letters"
        filter={filter}
        partitions={partitions}
        timeZone={timeZone}
        nowMs={nowMs}
      />
      {groups.length > 0 ? (
        <>
          <p className="text-sm text-ink-soft">
            {counted(total, "dead letter", "dead letters")}.{" "}
            <TextLink href={deadAddress("/ops/dead-letters/list", filter)}>List every one</TextLink>
          </p>
          <GroupTable groups={groups} timeZone={timeZone} nowMs={nowMs} />
        </>
      ) : (
        <Empty filter={filter} />
      )}
    </div>
  );
}

function GroupTable({
  groups,
  timeZone,
  nowMs,
}: {
  groups: readonly DeadLetterGroup[];
  timeZone: string;
  nowMs: number;
}) {
  return (
    <DataTable
      caption="Dead letters by partition, reason and time, the latest first"
      head={
        <>
          <HeadCell>Why and where</HeadCell>
          <HeadCell className="text-right">Dead</HeadCell>
          <HeadCell className={WIDE}>The provider said</HeadCell>
          <HeadCell className={WIDE}>Died</HeadCell>
          <HeadCell className={WIDE}>
            <span className="sr-only">What to do</span>
          </HeadCell>
        </>
      }
    >
      {groups.map((group) => {
        const filter: DeadLetterFilter = {
          partition: group.partition,
          reason: group.reason,
          diedAfterMs: Math.floor(group.fromMs),
          diedBeforeMs: Math.ceil(group.untilMs),
        };
        return (
          <tr key={`${group.partition} ${group.reason} ${group.fromMs}`}>
            <RowHead className="md:min-w-52">
              <TextLink href={deadAddress("/ops/dead-letters/list", filter)}>{plain(group.reason)}</TextLink>
              <span className="mt-1 flex items-start gap-1.5 break-all text-ink-soft">
                <ChannelIcon channel={group.channel} className="mt-0.5 size-4 shrink-0" />
                {partitionName(group.partition)}
              </span>
              <span className={`mt-1 block ${NARROW}`}>
                <Answers group={group} />
                <Died group={group} timeZone={timeZone} nowMs={nowMs} />
                <span className="mt-2 block">
                  <RedriveLink group={group} filter={filter} />
                </span>
              </span>
            </RowHead>
            <Cell className="text-right">
              <span className="text-base font-semibold">{count(group.count)}</span>
              <Remarks group={group} />
            </Cell>
            <Cell className={`min-w-44 ${WIDE}`}>
              <Answers group={group} />
            </Cell>
            <Cell className={`whitespace-nowrap ${WIDE}`}>
              <Died group={group} timeZone={timeZone} nowMs={nowMs} />
            </Cell>
            <Cell className={WIDE}>
              <RedriveLink group={group} filter={filter} />
            </Cell>
          </tr>
        );
      })}
    </DataTable>
  );
}

function RedriveLink({ group, filter }: { group: DeadLetterGroup; filter: DeadLetterFilter }) {
  return (
    <ButtonLink
      kind="secondary"
      href={deadAddress("/ops/redrives/new", filter)}
      prefetch={false}
      className="min-h-9! px-3! py-1! text-sm!"
    >
      Redrive…
      <span className="sr-only">
        {" "}
        {counted(group.count, "dead letter", "dead letters")} of {partitionName(group.partition)} with{" "}
        {plain(group.reason)}
      </span>
    </ButtonLink>
  );
}

/** What the provider said last, by what it said. */
function Answers({ group }: { group: DeadLetterGroup }) {
  return group.answers.map((answer) => (
    <span key={`${answer.class} ${answer.status} ${answer.code}`} className="block">
      {[answer.status, answer.code, answer.class === null ? null : plain(answer.class)]
        .filter((part) => part !== null)
        .join(" · ") || "nothing"}{" "}
      <span className="text-ink-soft">
        × {count(answer.count)}
        {group.count > ANSWERS_OF && ` of the newest ${count(ANSWERS_OF)}`}
      </span>
    </span>
  ));
}

/** Since when and until when they died. */
function Died({ group, timeZone, nowMs }: { group: DeadLetterGroup; timeZone: string; nowMs: number }) {
  return (
    <>
      <When atMs={group.oldestMs} timeZone={timeZone} nowMs={nowMs} />
      {group.newestMs - group.oldestMs > 60_000 && (
        <span className="block">
          to <When atMs={group.newestMs} timeZone={timeZone} nowMs={nowMs} />
        </span>
      )}
    </>
  );
}

function Remarks({ group }: { group: DeadLetterGroup }) {
  const remarks = [
    { count: group.unknown, word: "unknown" },
    { count: group.expired, word: "expired" },
    { count: group.dismissed, word: "dismissed" },
  ].filter((remark) => remark.count > 0);
  return remarks.map(({ count: value, word }) => (
    <span key={word} className="block whitespace-nowrap text-ink-soft">
      {count(value)} {word}
    </span>
  ));
}

function Empty({ filter }: { filter: DeadLetterFilter }) {
  if (Object.keys(filter).length === 0) {
    return (
      <EmptyState icon={<Skull aria-hidden className="size-6" />} title="No dead letters">
        Nothing needs a decision. A delivery stands here when its budget is spent, when the provider refuses
        it, or when nobody knows whether it arrived.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<SearchX aria-hidden className="size-6" />}
      title="No dead letter fits"
      action={
        <ButtonLink kind="secondary" href="/ops/dead-letters">
          Show all dead letters
        </ButtonLink>
      }
    >
      Nothing that is dead fits these filters. What was redriven meanwhile is not dead any more.
    </EmptyState>
  );
}
