import { PackageSearch } from "lucide-react";
import type { Metadata } from "next";
import { type PartitionCapacity, readCapacity } from "../../../../db/console/capacity";
import { type ForetoldEnd, type ImportView, readImports } from "../../../../db/console/imports";
import { costPerMillion } from "../../../../db/rules/capacity";
import { requireReader } from "../../../_auth/operator";
import { Cell, DataTable, HeadCell, RowHead } from "../../../_ops/table";
import { duration, partitionName, partitionPath } from "../../../_ops/words";
import { LiveUpdates } from "../../../_reminders/live-updates";
import { buttonClass, TextLink } from "../../../_ui/button";
import { Field, Input } from "../../../_ui/field";
import { EmptyState, PageHeading } from "../../../_ui/page-parts";
import { When } from "../../../_ui/when";

export const metadata: Metadata = { title: "Imports" };

const LOOK_AGAIN_MS = 5_000;

/** A marketplace's import of a minute: what the sheet asks about unless somebody asks about something else. */
const USUAL_BURST = 14_400;
const BURST_MAX = 10_000_000;

const inWords = (ms: number | null) => (ms === null ? "never" : duration(ms));

/** Imports of the last day with their progress, and what a burst would meet now. */
export default async function ImportsPage({ searchParams }: PageProps<"/ops/imports">) {
  const { timeZone, nowMs } = await requireReader("/ops/imports");
  const asked = Number((await searchParams).burst);
  const burst = Number.isInteger(asked) && asked > 0 && asked <= BURST_MAX ? asked : USUAL_BURST;
  const [imports, partitions] = [await readImports(), await readCapacity(burst)];
  return (
    <div className="space-y-8">
      <PageHeading title="Imports" actions={<LiveUpdates lookAgainMs={LOOK_AGAIN_MS} readAtMs={nowMs} />}>
        <p className="max-w-2xl text-ink-soft">
          Scans that carriers reported within one minute, and what became of the updates. Foretold: what was
          written down of its last update when all of it waited. The rule: (B + N) ÷ R at the rates of now.
        </p>
      </PageHeading>
      {imports.length === 0 ? (
        <EmptyState
          icon={<PackageSearch aria-hidden className="size-6" />}
          title="No import in the last day"
          action={null}
        >
          Two or more scans that move parcels forward within a minute appear here.
        </EmptyState>
      ) : (
        <ImportTable imports={imports} timeZone={timeZone} nowMs={nowMs} />
      )}
      <section aria-labelledby="capacity" className="space-y-4">
        <h2 id="capacity" className="text-lg font-semibold">
          What a burst would meet now
        </h2>
        <form className="flex flex-wrap items-end gap-3">
          <Field id="burst" label="Calls in the burst">
            {(attributes) => (
              <Input {...attributes} name="burst" inputMode="numeric" defaultValue={burst} className="w-40" />
            )}
          </Field>
          <button type="submit" className={buttonClass("secondary")}>
            Forecast this burst
          </button>
        </form>
        {partitions.length === 0 ? (
          <p className="text-ink-soft">
            There is no partition yet: the first delivery of a channel makes its own.
          </p>
        ) : (
          <CapacityTable partitions={partitions} />
        )}
      </section>
      <CostSheet />
    </div>
  );
}

function ImportTable({
  imports,
  timeZone,
  nowMs,
}: {
  imports: ImportView[];
  timeZone: string;
  nowMs: number;
}) {
  return (
    <DataTable
      caption="Imports of the last day, the newest first"
      head={
        <>
          <HeadCell>Recorded</HeadCell>
          <HeadCell className="text-right">Scans fanned out</HeadCell>
          <HeadCell className="text-right">Sent of wanted</HeadCell>
          <HeadCell className="text-right">Waiting</HeadCell>
          <HeadCell className="text-right">Superseded</HeadCell>
          <HeadCell className="text-right">Too late</HeadCell>
          <HeadCell className="text-right">End (foretold)</HeadCell>
          <HeadCell className="text-right">Age p50 (rule)</HeadCell>
          <HeadCell className="text-right">Age p99 (rule)</HeadCell>
          <HeadCell>Expiry risk</HeadCell>
        </>
      }
    >
      {imports.map((one) => (
        <tr key={one.atMs}>
          <RowHead className="whitespace-nowrap">
            <When atMs={one.atMs} timeZone={timeZone} nowMs={nowMs} seconds />
          </RowHead>
          <Cell className="text-right">
            {one.fannedOut} of {one.scans}
          </Cell>
          <Cell className="text-right">
            {one.sent} of {one.deliveries - one.skipped}
          </Cell>
          <Cell className="text-right">{one.waiting}</Cell>
          <Cell className="text-right">{one.superseded}</Cell>
          <Cell className="text-right">{one.pastDeadline}</Cell>
          <Cell className="text-right whitespace-nowrap">{endOf(one.foretold)}</Cell>
          <Cell className="text-right whitespace-nowrap">
            {one.p50AgeMs === null ? "–" : duration(one.p50AgeMs)} ({inWords(one.forecastP50AgeMs)})
          </Cell>
          <Cell className="text-right whitespace-nowrap">
            {one.p99AgeMs === null ? "–" : duration(one.p99AgeMs)} ({inWords(one.forecastP99AgeMs)})
          </Cell>
          <Cell>{riskOf(one, nowMs)}</Cell>
        </tr>
      ))}
    </DataTable>
  );
}

/** When its last update was sent beside when that was said beforehand, both from the scans' arrival. */
function endOf(foretold: ForetoldEnd | null): string {
  if (foretold === null) return "–";
  const { expectedMs, happenedMs } = foretold;
  return `${happenedMs === null ? "–" : duration(happenedMs)} (${duration(expectedMs)})`;
}

/** Whether what waits will go before it stops being of use, at the present rates. */
function riskOf({ waiting, expiresAtMs, forecastDrainMs }: ImportView, nowMs: number): string {
  if (waiting === 0 || expiresAtMs === null) return "None: nothing waits";
  if (forecastDrainMs === null) return "All that waits: nothing leaves";
  const spareMs = expiresAtMs - nowMs - forecastDrainMs;
  return spareMs > 0 ? `None: ${duration(spareMs)} to spare` : "Some will expire";
}

function CapacityTable({ partitions }: { partitions: PartitionCapacity[] }) {
  return (
    <DataTable
      caption="What a burst would meet in each partition"
      head={
        <>
          <HeadCell>Partition</HeadCell>
          <HeadCell className="text-right">Bulk gets</HeadCell>
          <HeadCell className="text-right">Accepted, last minute</HeadCell>
          <HeadCell className="text-right">Arrive before it</HeadCell>
          <HeadCell className="text-right">Waiting</HeadCell>
          <HeadCell className="text-right">Drain</HeadCell>
          <HeadCell className="text-right">Age p50, p99</HeadCell>
          <HeadCell className="text-right">Expires</HeadCell>
        </>
      }
    >
      {partitions.map((row) => (
        <tr key={row.partition}>
          <RowHead className="min-w-48">
            <TextLink href={partitionPath(row.partition)}>{partitionName(row.partition)}</TextLink>
          </RowHead>
          <Cell className="text-right whitespace-nowrap">
            {row.perSecond.toFixed(1)}/s ({row.from})
          </Cell>
          <Cell className="text-right">{row.acceptedLastMinute.toFixed(1)}/s</Cell>
          <Cell className="text-right">{row.arrivalsPerSecond.toFixed(1)}/s</Cell>
          <Cell className="text-right">{row.backlogCost}</Cell>
          <Cell className="text-right whitespace-nowrap">{inWords(row.forecast.drainMs)}</Cell>
          <Cell className="text-right whitespace-nowrap">
            {inWords(row.forecast.p50AgeMs)}, {inWords(row.forecast.p99AgeMs)}
          </Cell>
          <Cell className="text-right">{row.forecast.expiring}</Cell>
        </tr>
      ))}
    </DataTable>
  );
}

function CostSheet() {
  const { lines, assumptions } = costPerMillion();
  return (
    <section aria-labelledby="cost" className="space-y-4">
      <h2 id="cost" className="text-lg font-semibold">
        What a million deliveries cost
      </h2>
      <DataTable
        caption="Cost of a million deliveries"
        head={
          <>
            <HeadCell>Of what</HeadCell>
            <HeadCell className="text-right">Normal hours</HeadCell>
            <HeadCell className="text-right">Throttled hours</HeadCell>
          </>
        }
      >
        {lines.map(({ name, normal, throttled, unit }) => (
          <tr key={name}>
            <RowHead>{name}</RowHead>
            <Cell className="text-right whitespace-nowrap">{amount(normal, unit)}</Cell>
            <Cell className="text-right whitespace-nowrap">{amount(throttled, unit)}</Cell>
          </tr>
        ))}
      </DataTable>
      <details className="text-sm">
        <summary className="min-h-8 font-medium text-accent-ink">What is assumed</summary>
        <ul className="list-inside list-disc space-y-1 text-ink-soft">
          {assumptions.map(({ name, value, unit, from }) => (
            <li key={name}>
              {name}: {value} {unit} ({from})
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

const GIGABYTE = 1e9;

function amount(value: number, unit: string): string {
  if (unit === "bytes") return `${(value / GIGABYTE).toFixed(2)} GB`;
  return value.toLocaleString("en");
}
