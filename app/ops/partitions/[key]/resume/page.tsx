import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { liveOf, readPartitionView } from "../../../../../db/console/partition";
import { predictCeiling } from "../../../../../db/console/predictions";
import { requireReader } from "../../../../_auth/operator";
import { ConfirmForm } from "../../../../_ops/confirm-form";
import { LeverPage } from "../../../../_ops/lever-page";
import { counted, duration, fromPath, partitionName, partitionPath, perSecond } from "../../../../_ops/words";
import { resume } from "../actions";

export const metadata: Metadata = { title: "Resume" };

/** A resumed partition starts at this share of its ceiling (see `db/admission/controls.ts`). */
const START_SHARE = 0.2;

/** What resuming would let go, and the button that does it. */
export default async function ResumePage({ params }: PageProps<"/ops/partitions/[key]/resume">) {
  const key = fromPath((await params).key);
  const { mayAct } = await requireReader(partitionPath(key, "resume"));
  const view = await readPartitionView(key);
  const drain = view === null ? null : await predictCeiling(key, view.health.ceiling);
  if (view === null || drain === null) notFound();
  const partition = partitionName(key);
  const { health, pulse } = view;
  return (
    <LeverPage
      title={`Resume ${partition}`}
      back={{ href: partitionPath(key), name: partition }}
      mayAct={mayAct}
      effect={
        <>
          <p>
            <strong>{counted(liveOf(health.lanes), "delivery", "deliveries")}</strong> may move again,
            beginning at {perSecond(Math.min(health.rate, health.ceiling * START_SHARE))} and rising with
            every success to {perSecond(drain.now.perSecond)}.
          </p>
          <ul className="list-disc space-y-1 pl-5 text-ink-soft">
            {drain.backlog > 0 && (
              <li>
                {drain.now.drainMs === null
                  ? "At this rate what is overdue never drains: more arrives than leaves."
                  : `What is overdue is gone in about ${duration(drain.now.drainMs)}.`}
              </li>
            )}
            {pulse.circuit !== "closed" && (
              <li>
                The circuit is {pulse.circuit.replace("_", " ")}: one delivery probes before the rest follows.
              </li>
            )}
            <li>
              It ends a pause, a parking and an open circuit. A provider’s 429 still holds until its time.
            </li>
          </ul>
        </>
      }
    >
      <ConfirmForm
        action={resume.bind(null, key)}
        chosen={{}}
        button={`Resume ${partition}`}
        back={{ href: partitionPath(key), name: "Leave it as it is" }}
      />
    </LeverPage>
  );
}
