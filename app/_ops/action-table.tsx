import type { ActionLine } from "../../db/console/actions";
import { When } from "../_ui/when";
import { Cell, DataTable, HeadCell, RowHead } from "./table";
import { TargetLink } from "./target-link";
import { duration, plain } from "./words";

interface ActionTableProps {
  actions: readonly ActionLine[];
  timeZone: string;
  nowMs: number;
  /** All were done to one thing, which the page names already. */
  ofOneTarget?: boolean;
}

/** Who did what, to what, and why. */
export function ActionTable({ actions, timeZone, nowMs, ofOneTarget = false }: ActionTableProps) {
  return (
    <DataTable
      caption="Operators' actions, the latest first"
      head={
        <>
          <HeadCell>When</HeadCell>
          <HeadCell>Who</HeadCell>
          <HeadCell>What</HeadCell>
          <HeadCell className="w-1/2">Why</HeadCell>
        </>
      }
    >
      {actions.map((action) => (
        <tr key={action.id}>
          <RowHead className="whitespace-nowrap">
            <When atMs={action.atMs} timeZone={timeZone} nowMs={nowMs} seconds />
          </RowHead>
          <Cell className="min-w-44 break-words">{action.operator}</Cell>
          <Cell className="min-w-40">
            <span className="font-medium">{plain(action.action).replaceAll("-", " ")}</span>
            {!ofOneTarget && (
              <span className="block">
                <TargetLink target={action.target} />
              </span>
            )}
            <Details details={action.details} timeZone={timeZone} nowMs={nowMs} />
          </Cell>
          <Cell className="min-w-48">{action.reason}</Cell>
        </tr>
      ))}
    </DataTable>
  );
}

function Details({
  details,
  timeZone,
  nowMs,
}: {
  details: Record<string, unknown>;
  timeZone: string;
  nowMs: number;
}) {
  const shown = Object.entries(details).filter(([, value]) => value !== null && typeof value !== "object");
  if (shown.length === 0) return null;
  return (
    <span className="block text-ink-soft">
      {shown.map(([name, value], index) => (
        <span key={name}>
          {index > 0 && ", "}
          {name === "untilMs" ? "until" : name.endsWith("Ms") ? plain(name.slice(0, -2)) : plain(name)}{" "}
          {name.endsWith("AtMs") || name === "untilMs" ? (
            <When atMs={Number(value)} timeZone={timeZone} nowMs={nowMs} />
          ) : name.endsWith("Ms") ? (
            duration(Number(value))
          ) : (
            String(value)
          )}
        </span>
      ))}
    </span>
  );
}
