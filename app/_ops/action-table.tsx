import type { ActionLine } from "../../db/console/actions";
import { When } from "../_ui/when";
import { Cell, DataTable, HeadCell, NARROW, RowHead, WIDE } from "./table";
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
          <HeadCell className={WIDE}>When</HeadCell>
          <HeadCell className={WIDE}>Who</HeadCell>
          <HeadCell className="max-md:pl-4">What</HeadCell>
          <HeadCell className="w-1/2">Why</HeadCell>
        </>
      }
    >
      {actions.map((action) => (
        <tr key={action.id}>
          <Cell className={`whitespace-nowrap ${WIDE}`}>
            <When atMs={action.atMs} timeZone={timeZone} nowMs={nowMs} seconds />
          </Cell>
          <Cell className={`min-w-44 break-words ${WIDE}`}>{action.operator}</Cell>
          <RowHead className="max-md:pl-4 md:min-w-52">
            <span className="font-medium">{plain(action.action).replaceAll("-", " ")}</span>
            {!ofOneTarget && (
              <span className="block">
                <TargetLink target={action.target} />
              </span>
            )}
            <Details details={action.details} timeZone={timeZone} nowMs={nowMs} />
            <span className={`block break-words text-ink-soft ${NARROW}`}>
              {action.operator}, <When atMs={action.atMs} timeZone={timeZone} nowMs={nowMs} />
            </span>
          </RowHead>
          <Cell className="break-words md:min-w-48">{action.reason}</Cell>
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
