import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { predictLaneShares } from "../../../../../db/console/predictions";
import { requireReader } from "../../../../_auth/operator";
import { ConfirmForm } from "../../../../_ops/confirm-form";
import { LeverPage } from "../../../../_ops/lever-page";
import { Cell, DataTable, HeadCell, RowHead } from "../../../../_ops/table";
import { fromPath, one, partitionName, partitionPath, share } from "../../../../_ops/words";
import { weigh } from "../actions";

export const metadata: Metadata = { title: "Change a lane’s weight" };

/** What another weight would do to every lane's share, and the button that sets it. */
export default async function WeightPage({
  params,
  searchParams,
}: PageProps<"/ops/partitions/[key]/weight">) {
  const key = fromPath((await params).key);
  const { mayAct } = await requireReader(partitionPath(key, "weight"));
  const query = await searchParams;
  const lane = one(query, "lane") ?? "standard";
  const given = Number(one(query, "weight") ?? Number.NaN);
  const weight = given > 0 && given <= 1_000 ? given : 1;
  const shares = await predictLaneShares(key, lane, weight);
  if (!shares.some((entry) => entry.lane === lane)) notFound();
  const partition = partitionName(key);
  return (
    <LeverPage
      title={`Weigh ${lane} of ${partition}`}
      back={{ href: partitionPath(key), name: partition }}
      mayAct={mayAct}
      effect={
        <>
          <p>
            With weight {weight} the lane {lane} gets its share of the rate beside the lanes that have work.
            The urgent lane stands before everything.
          </p>
          <DataTable
            caption="Shares of the lanes, now and with the new weight"
            head={
              <>
                <HeadCell>Lane</HeadCell>
                <HeadCell className="text-right">Now</HeadCell>
                <HeadCell className="text-right">With this</HeadCell>
              </>
            }
          >
            {shares.map((entry) => (
              <tr key={entry.lane} className={entry.lane === lane ? "font-semibold" : ""}>
                <RowHead>
                  {entry.lane}
                  {!entry.busy && <span className="font-normal text-ink-soft"> (idle)</span>}
                </RowHead>
                <Cell className="text-right">{share(entry.now)}</Cell>
                <Cell className="text-right">{share(entry.after)}</Cell>
              </tr>
            ))}
          </DataTable>
        </>
      }
    >
      <ConfirmForm
        action={weigh.bind(null, key)}
        chosen={{ lane, weight: String(weight) }}
        button={`Set weight ${weight} for ${lane} of ${partition}`}
        back={{ href: partitionPath(key), name: "Leave it as it is" }}
      />
    </LeverPage>
  );
}
