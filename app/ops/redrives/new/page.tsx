import type { Metadata } from "next";
import { groupDeadLetters } from "../../../../db/console/dead-letters";
import { readDeliveryStory } from "../../../../db/console/delivery";
import { requireReader } from "../../../_auth/operator";
import { deadAddress, deadFilterWords, readDeadFilter } from "../../../_ops/dead-filter";
import { Fact, Facts } from "../../../_ops/facts";
import { TargetLink } from "../../../_ops/target-link";
import { count, counted, one, partitionName, plain } from "../../../_ops/words";
import { Notice } from "../../../_ui/notice";
import { BackLink, Card, PageHeading } from "../../../_ui/page-parts";
import { When } from "../../../_ui/when";
import { preview } from "../actions";
import { PreviewForm } from "./preview-form";

export const metadata: Metadata = { title: "Redrive" };

/** The beginning of a redrive: which dead letters, how fast, and whether unknown outcomes are meant. Sends nothing. */
export default async function NewRedrivePage({ searchParams }: PageProps<"/ops/redrives/new">) {
  const query = await searchParams;
  const filter = readDeadFilter(query);
  const name = one(query, "delivery");
  const { mayAct, timeZone, nowMs } = await requireReader(
    deadAddress("/ops/redrives/new", filter, { delivery: name }),
  );
  const story = name === undefined ? null : await readDeliveryStory(name);
  const single = story !== null && story.delivery.state === "dead" ? story.delivery : null;
  const total = single === null ? (await groupDeadLetters(filter)).total : 1;
  const back =
    single === null ? deadAddress("/ops/dead-letters", filter) : `/ops/deliveries/${single.reference}`;
  return (
    <div className="max-w-2xl space-y-6">
      <BackLink href={back}>{single === null ? "Dead letters" : "The delivery"}</BackLink>
      <PageHeading
        title={total === 0 ? "Redrive" : `Redrive ${counted(total, "dead letter", "dead letters")}`}
      >
        <p className="text-ink-soft">
          First a preview: it freezes the set and says what would become of each. Nothing is sent before you
          confirm it.
        </p>
      </PageHeading>
      <Card className="space-y-5">
        <section aria-labelledby="chosen" className="space-y-3">
          <h2 id="chosen" className="text-lg font-semibold">
            Which
          </h2>
          {single !== null ? (
            <p>
              <TargetLink target={single.key} />
            </p>
          ) : (
            <Facts>
              <Fact name="Channel">{filter.channel ?? "any"}</Fact>
              <Fact name="Partition">
                {filter.partition === undefined ? "any" : partitionName(filter.partition)}
              </Fact>
              <Fact name="Reason">{plain(filter.reason ?? "any")}</Fact>
              <Fact name="Died">
                {filter.diedAfterMs === undefined && filter.diedBeforeMs === undefined && "at any time"}
                {filter.diedAfterMs !== undefined && (
                  <>
                    from <When atMs={filter.diedAfterMs} timeZone={timeZone} nowMs={nowMs} />{" "}
                  </>
                )}
                {filter.diedBeforeMs !== undefined && (
                  <>
                    to <When atMs={filter.diedBeforeMs} timeZone={timeZone} nowMs={nowMs} />
                  </>
                )}
              </Fact>
            </Facts>
          )}
        </section>
        <div className="border-t border-line pt-5">
          {total === 0 ? (
            <Notice kind="info">
              <p>No dead letter fits: there is nothing to redrive.</p>
            </Notice>
          ) : mayAct ? (
            <PreviewForm
              action={preview}
              chosen={single === null ? deadFilterWords(filter) : { delivery: single.id }}
              button={`Preview ${total === 1 ? "it" : `these ${count(total)}`}`}
              back={back}
            />
          ) : (
            <Notice kind="info">
              <p>Your role is read-only: an operator previews and redrives.</p>
            </Notice>
          )}
        </div>
      </Card>
    </div>
  );
}
