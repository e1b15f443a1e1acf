import {
  ANSWERS_OF,
  type DeadLetterDetail,
  type DeadLetterGroup,
  type DeadLetterLine,
} from "../db/console/dead-letters";
import type { RedriveDetail, RedriveLine, RedrivePreview, RedriveProgress } from "../db/redrive/views";
import { gateLines } from "../db/rules/slo";

const iso = (ms: number) => new Date(ms).toISOString();

/** A length of time as people say it: the largest unit with one decimal. */
function span(ms: number | null): string {
  if (ms === null) return "nobody can know";
  if (ms < 90_000) return `${(ms / 1000).toFixed(0)} s`;
  if (ms < 5_400_000) return `${(ms / 60_000).toFixed(1)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

const answerOf = ({
  class: kind,
  status,
  code,
}: {
  class: string | null;
  status: number | null;
  code: string | null;
}) => [kind, status, code].filter((part) => part !== null).join(" ");

export function groupLine(group: DeadLetterGroup): string {
  const { partition, reason, fromMs, count, dismissed, unknown, expired, answers } = group;
  const asides = [
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(expired > 0 ? [`${expired} expired`] : []),
    ...(dismissed > 0 ? [`${dismissed} dismissed`] : []),
  ];
  const aside = asides.length === 0 ? "" : ` (${asides.join(", ")})`;
  const said = answers.map((answer) => `${answer.count} × ${answerOf(answer)}`).join(", ");
  const newest = count > ANSWERS_OF ? `the newest ${ANSWERS_OF}: ` : "";
  return `${iso(fromMs)}  ${partition}  ${reason}  ${count}${aside}\n    ${newest}${said}`;
}

export function deadLetterLine(line: DeadLetterLine): string {
  const said = answerOf({ class: line.lastClass, status: line.status, code: line.code });
  return `${iso(line.diedAtMs)}  ${line.reference}  ${line.reason}  ${said}\n    ${line.key}`;
}

export function detailLines(detail: DeadLetterDetail): string[] {
  return [
    `${detail.key}`,
    `  dead since ${iso(detail.diedAtMs)}: ${detail.reason}${detail.wish === null ? "" : `, would have been ${detail.wish}`}`,
    `  to ${detail.destination.masked} (${detail.destination.state}), useful until ${iso(detail.expiresAtMs)}`,
    `  payload ${detail.request.payloadId} version ${detail.request.version}${detail.request.wiped ? ", wiped" : ""}`,
    ...detail.history.map((call) =>
      `  call ${call.number} ${iso(call.begunAtMs)}  ${answerOf(call)}  ${call.detail ?? ""}`.trimEnd(),
    ),
    ...detail.redrives.map(({ id, state, memberState }) => `  redrive ${id} (${state}): ${memberState}`),
  ];
}

export function previewLines(preview: RedrivePreview): string[] {
  return [
    ...preview.verdicts.map(
      ({ verdict, count }) =>
        `${String(count).padStart(7)}  ${verdict}${verdict === "would_send" ? "" : "  (left out)"}`,
    ),
    ...(preview.mayDuplicate > 0 ? [`${preview.mayDuplicate} of these may reach somebody twice.`] : []),
    ...preview.answers.map(
      (answer) => `  died of ${answer.reason}: ${answer.count} × ${answerOf(answer)} ${answer.detail ?? ""}`,
    ),
    ...preview.partitions.map(
      (row) =>
        `  ${row.partition}: ${row.wouldSend} at ${row.pace.toFixed(2)}/s (held down by ${row.limitedBy}), done in ${span(row.redriveMs)}; ` +
        `backlog ${row.backlog}${row.drainMs === null ? "; nothing was accepted lately, so no forecast of the drain" : `, drained in ${span(row.drainMs)}`}`,
    ),
    `expected to expire first: ${preview.expireFirst ?? "nobody can know"}`,
    ...(preview.more ? ["More match than one redrive takes: another will be needed."] : []),
  ];
}

function progressWords(progress: RedriveProgress): string {
  const { pending, out, delivered, dead, expired, skipped } = progress;
  return `${delivered} sent, ${out} on their way, ${pending} to go, ${dead} died again, ${expired} expired, ${skipped} skipped`;
}

export function redriveLine(line: RedriveLine): string {
  const paused = line.pauseReason === null ? "" : `\n    paused: ${line.pauseReason}`;
  return `${iso(line.createdAtMs)}  ${line.id}  ${line.state}  ${line.operator ?? line.previewedBy}: ${line.reason ?? "preview"}\n    ${progressWords(line.progress)}${paused}`;
}

export function redriveLines(detail: RedriveDetail): string[] {
  return [
    redriveLine(detail),
    ...detail.partitions.map(
      (row) =>
        `  ${row.partition}: ${row.stage}, ${row.pace.toFixed(2)}/s (${row.limitedBy ?? "not begun"}), ${row.released} released, ${row.pending} to go`,
    ),
    ...(detail.state === "previewed" && detail.preview !== null ? previewLines(detail.preview) : []),
    ...(detail.gate === null
      ? []
      : ["  gate at its end:", ...gateLines(detail.gate).map((line) => `    ${line}`)]),
    ...detail.actions.map(
      ({ atMs, operator, action, reason }) => `  ${iso(atMs)}  ${operator}  ${action}: ${reason}`,
    ),
  ];
}
