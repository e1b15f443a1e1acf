import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { readPartitionView } from "../../../../../db/console/partition";
import { type DrainPrediction, PREDICTED_MAX, predictCeiling } from "../../../../../db/console/predictions";
import { requireReader } from "../../../../_auth/operator";
import { ConfirmForm } from "../../../../_ops/confirm-form";
import { readDuration } from "../../../../_ops/durations";
import { LeverPage } from "../../../../_ops/lever-page";
import {
  counted,
  duration,
  fromPath,
  one,
  partitionName,
  partitionPath,
  perSecond,
} from "../../../../_ops/words";
import { Notice } from "../../../../_ui/notice";
import { limit } from "../actions";

export const metadata: Metadata = { title: "Change limits" };

/** What other limits would do to the backlog, and the button that sets them. */
export default async function LimitsPage({
  params,
  searchParams,
}: PageProps<"/ops/partitions/[key]/limits">) {
  const key = fromPath((await params).key);
  const { mayAct } = await requireReader(partitionPath(key, "limits"));
  const query = await searchParams;
  const view = await readPartitionView(key);
  if (view === null) notFound();
  const { health } = view;
  const ceiling = readNumber(one(query, "ceiling"), health.ceiling);
  const burst = readNumber(one(query, "burst"), health.burst);
  const concurrency = readNumber(one(query, "concurrency"), health.concurrency);
  const { word, name, ms } = readDuration(one(query, "for"), "open");
  const effect = await predictCeiling(key, Math.max(0, ceiling));
  if (effect === null) notFound();
  const partition = partitionName(key);
  const span = ms === null ? "" : ` for ${name}`;
  return (
    <LeverPage
      title={`Change the limits of ${partition}`}
      back={{ href: partitionPath(key), name: partition }}
      mayAct={mayAct}
      effect={
        <>
          <ul className="list-disc space-y-1 pl-5">
            <Change
              name="At most"
              before={perSecond(health.ceiling)}
              after={perSecond(Math.max(0, ceiling))}
            />
            <Change name="Burst" before={String(health.burst)} after={String(burst)} />
            <Change name="Calls at once" before={String(health.concurrency)} after={String(concurrency)} />
          </ul>
          {ceiling === 0 && (
            <Notice kind="attention">
              <p>A ceiling of 0 is a pause{ms === null ? " without an end" : ""}: nothing leaves.</p>
            </Notice>
          )}
          {effect.backlog === 0 ? (
            <p>Nothing is overdue: only what comes due from now on will feel it.</p>
          ) : (
            <>
              <p>{counted(effect.backlog, "delivery is", "deliveries are", PREDICTED_MAX)} overdue.</p>
              <ul className="list-disc space-y-1 pl-5 text-ink-soft">
                <li>As it is: {drainWords(effect.now)}</li>
                <li>With this: {drainWords(effect.after)}</li>
              </ul>
            </>
          )}
          <p className="text-ink-soft">
            {ms === null
              ? "It stays until somebody changes it again."
              : `After ${name} the limits of before come back by themselves.`}
          </p>
        </>
      }
    >
      <ConfirmForm
        action={limit.bind(null, key)}
        chosen={{
          ceiling: String(ceiling),
          burst: String(burst),
          concurrency: String(concurrency),
          for: word,
        }}
        button={`Set ${partition} to ${perSecond(Math.max(0, ceiling))}${span}`}
        kind={ceiling < health.ceiling ? "danger" : "primary"}
        back={{ href: partitionPath(key), name: "Leave it as it is" }}
      />
    </LeverPage>
  );
}

function Change({ name, before, after }: { name: string; before: string; after: string }) {
  return (
    <li>
      {name}:{" "}
      {before === after ? (
        <>{before}, as before</>
      ) : (
        <>
          {before} → <strong>{after}</strong>
        </>
      )}
    </li>
  );
}

function drainWords({ perSecond: rate, drainMs, pastDeadline }: DrainPrediction): string {
  const late =
    pastDeadline === 0
      ? "none passes its deadline first"
      : `at most ${counted(pastDeadline, "passes", "pass", PREDICTED_MAX)} their deadline first`;
  if (drainMs === null) return `at ${perSecond(rate)} it never drains, since more arrives; ${late}.`;
  return `at ${perSecond(rate)} it is gone in about ${duration(drainMs)}; ${late}.`;
}

function readNumber(text: string | undefined, otherwise: number): number {
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : otherwise;
}
