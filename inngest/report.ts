import { createHash } from "node:crypto";
import {
  type DeadLetterReport,
  markReportTold,
  readUntoldReports,
  summariseDeadLetters,
} from "../db/dead-letter-reports";
import { openNotice } from "../db/notices";
import { type OperatorAddress, readOperators } from "../db/operators";
import type { DeadGroup } from "../db/rules/dead-letter-report";
import { reportHeading, reportLine } from "../db/rules/report-words";
import { subscriberForSignIn } from "../db/sign-in-subscriber";
import { dispatchAll } from "./dispatch";
import { log } from "./log";
import { renderDeadLetterReport } from "./messages/render-report";
import { tellWebhook } from "./tell-operators";

/** A report is of use until the next day's. */
const USEFUL_SECONDS = 86_400;

/**
 * Writes this hour's report and tells operators of what has not been told (DESIGN: reports). A crash in between leaves
 * the report untold; telling it again opens no second mail, for the notice's id is made of the report's and the reader's.
 */
export async function reportDeadLetters(): Promise<{ written: boolean; told: number }> {
  const written = await summariseDeadLetters();
  let told = 0;
  for (const report of await readUntoldReports()) told += (await tell(report)) ? 1 : 0;
  return { written: written !== null, told };
}

/**
 * Through the ledger's own urgent lane, but what is about an email partition never travels by email: that part goes to
 * the webhook, and without one to the log.
 */
async function tell(report: DeadLetterReport): Promise<boolean> {
  const aboutEmail = report.groups.filter((group) => group.partition.startsWith("email:"));
  const aboutOthers = report.groups.filter((group) => !group.partition.startsWith("email:"));
  const media: string[] = [];
  if (await tellWebhook({ kind: "dead_letters", ...report, text: reportHeading(report) }))
    media.push("webhook");
  if (aboutOthers.length > 0 && (await mail(report, aboutOthers, aboutEmail.length > 0))) media.push("email");
  const isUntold = aboutEmail.length > 0 ? !media.includes("webhook") : media.length === 0;
  if (isUntold) {
    log[report.alert === null ? "info" : "error"](reportHeading(report), {
      groups: report.groups.map(reportLine),
    });
    media.push("log");
  }
  await markReportTold(report.id, media);
  return true;
}

async function mail(
  report: DeadLetterReport,
  groups: readonly DeadGroup[],
  elsewhere: boolean,
): Promise<boolean> {
  const footer = elsewhere
    ? "Email has dead letters of its own; they are reported by webhook or in the log, never by email."
    : "Every dead letter waits for a decision under Operations → Dead letters.";
  const content = await renderDeadLetterReport(reportHeading(report), groups.map(reportLine), footer);
  const partitions: string[] = [];
  for (const operator of await readOperators()) {
    const { subscriberId, destinationId } = await subscriberForSignIn(operator.email, {
      timeZone: "UTC",
      locale: "en",
    });
    const opened = await openNotice({
      subscriberId,
      destinationId,
      template: "dead-letter-report",
      content,
      cost: 1,
      noticeId: noticeIdOf(report, operator),
      usefulSeconds: USEFUL_SECONDS,
    });
    if (opened.ok) partitions.push(opened.value.partition);
  }
  await dispatchAll(partitions);
  return partitions.length > 0;
}

/** One notice per report and reader, however often it is asked for: a UUID made of both. */
function noticeIdOf(report: DeadLetterReport, operator: OperatorAddress): string {
  const hex = createHash("sha256").update(`${report.id}:${operator.userId}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
