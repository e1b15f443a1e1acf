import { ledgerNowMs, transact } from "../db/connection";
import { groupDeadLetters, listDeadLetters, readDeadLetter } from "../db/console/dead-letters";
import { pauseRedrive, resumeRedrive, stopRedrive } from "../db/redrive/controls";
import {
  dismissDeadLetters,
  type Finding,
  resolveUnknown,
  restoreDeadLetters,
} from "../db/redrive/dead-letters";
import { type DeadLetterFilter, deadLetterFilter } from "../db/redrive/filter";
import { previewRedrive } from "../db/redrive/preview";
import { listRedrives, readRedrive } from "../db/redrive/read";
import { startRedrive } from "../db/redrive/start";
import { problemDetail, type Result } from "../db/rules/errors";
import { ringDoorbell } from "../inngest/publish";
import { argument, duration, type Flags, number, operator, operatorName, Usage } from "./ops-arguments";
import {
  deadLetterLine,
  detailLines,
  groupLine,
  previewLines,
  redriveLine,
  redriveLines,
} from "./ops-redrive-text";
import { print as printAnswer } from "./ops-verbs";

export const REDRIVE_HELP = `  dead-letters [filter] [--list]              grouped by partition, reason and time; --list shows each
  dead-letters show <reference>               every call, what the provider said, redrives
  dead-letters dismiss|restore <reference> --reason …
  dead-letters resolve <reference> arrived|not-arrived [--send-again] --reason …    an unknown outcome
  redrive preview [filter] [--rate n] [--include-unknown]    freezes a set, says what would become of each; sends nothing
  redrive start <id> --confirm <count> --reason …    starts what was previewed
  redrive pause|stop <id> --reason …          stop leaves what was not sent dead
  redrive resume <id> [--rate n] --reason …   canaries first
  redrive status [<id>]                       progress and pace, or the latest; ends with 3 while one has paused itself
    filter: --channel sms --partition … --cause message_rejected --within 2h --older-than 10m`;

/** While a redrive has paused itself somebody should look: neither good nor an error of the command. */
const NEEDS_SOMEBODY = 3;

const PAGE = 50;

/** `npm run ops -- dead-letters …` */
export async function runDeadLetters(rest: readonly string[], flags: Flags): Promise<void> {
  switch (rest[0]) {
    case undefined:
      return flags.list ? showList(flags) : showGroups(flags);
    case "show": {
      const detail = value(await readDeadLetter(argument(rest, 1, "reference")));
      return print(flags, detail, detailLines(detail));
    }
    case "dismiss":
    case "restore": {
      const letter = await letterOf(argument(rest, 1, "reference"));
      const who = operator(flags);
      const act = rest[0] === "dismiss" ? dismissDeadLetters : restoreDeadLetters;
      const moved = value(await act([letter], who));
      return print(flags, moved, [
        moved.moved === 1 ? `${letter.key}: done.` : `${letter.key}: nothing to do.`,
      ]);
    }
    case "resolve":
      return resolve(rest, flags);
    default:
      throw new Usage(`There is no "dead-letters ${rest[0]}": show, dismiss, restore or resolve.`);
  }
}

async function showGroups(flags: Flags): Promise<void> {
  const groups = await groupDeadLetters(await filterOf(flags));
  const lines = groups.groups.map((group) => groupLine(group));
  print(
    flags,
    groups,
    lines.length === 0
      ? ["There are no dead letters."]
      : [
          ...lines,
          `${groups.total} in all; \`--list\` shows each, \`redrive preview\` says what would become of them`,
        ],
  );
}

async function showList(flags: Flags): Promise<void> {
  const options = { limit: PAGE, ...(flags.after === undefined ? {} : { after: flags.after }) };
  const page = value(await listDeadLetters(await filterOf(flags), options));
  const more = page.next === null ? [] : [`more: --after ${page.next}`];
  print(flags, page, [...page.deadLetters.map(deadLetterLine), ...more]);
}

async function resolve(rest: readonly string[], flags: Flags): Promise<void> {
  const letter = await letterOf(argument(rest, 1, "reference"));
  const answer = argument(rest, 2, "answer (arrived or not-arrived)");
  if (answer !== "arrived" && answer !== "not-arrived")
    throw new Usage(`The answer is arrived or not-arrived; given: ${answer}`);
  const finding: Finding =
    answer === "arrived"
      ? { answer }
      : { answer: "not_arrived", next: flags["send-again"] ? "send_again" : "stay_dead" };
  const who = operator(flags);
  const resolved = value(await resolveUnknown(letter, finding, who));
  if (!flags["dry-run"]) await ringDoorbell();
  const again = resolved.redriveId === null ? "" : `, goes again in redrive ${resolved.redriveId}`;
  print(flags, resolved, [`${letter.key}: ${resolved.state}${again}`]);
}

async function letterOf(reference: string): Promise<{ deliveryId: string; burialId: string; key: string }> {
  const { id, burialId, key } = value(await readDeadLetter(reference));
  return { deliveryId: id, burialId, key };
}

/** `npm run ops -- redrive …` */
export async function runRedrive(rest: readonly string[], flags: Flags): Promise<void> {
  switch (rest[0]) {
    case "preview":
      return preview(flags);
    case "start":
      return start(rest, flags);
    case "pause":
    case "stop":
    case "resume":
      return turn(rest[0], argument(rest, 1, "redrive's id"), flags);
    case undefined:
    case "status":
      return rest[1] === undefined ? showAll(flags) : showOne(rest[1], flags);
    default:
      throw new Usage(`There is no "redrive ${rest[0]}": preview, start, pause, resume, stop or status.`);
  }
}

async function preview(flags: Flags): Promise<void> {
  const request = {
    filter: await filterOf(flags),
    includeAmbiguous: flags["include-unknown"],
    ...(flags.rate === undefined ? {} : { ratePerSecond: number(flags.rate, "rate") }),
  };
  const previewed = value(await previewRedrive(request, operatorName(flags)));
  print(flags, previewed, [
    ...previewLines(previewed.preview),
    ...(flags["dry-run"]
      ? []
      : [
          `start it with: npm run ops -- redrive start ${previewed.id} --confirm ${previewed.wouldSend} --reason "…"`,
        ]),
  ]);
}

async function start(rest: readonly string[], flags: Flags): Promise<void> {
  const id = argument(rest, 1, "preview's id");
  if (flags.confirm === undefined)
    throw new Usage("A start needs --confirm with the number that would be sent.");
  const started = value(
    await startRedrive({ id, confirm: number(flags.confirm, "confirm"), operator: operator(flags) }),
  );
  if (!flags["dry-run"]) await ringDoorbell();
  print(flags, started, [
    started.joined ? `redrive ${started.redriveId} has these already` : `redrive ${started.redriveId} runs`,
  ]);
}

async function turn(verb: "pause" | "stop" | "resume", id: string, flags: Flags): Promise<void> {
  const who = operator(flags);
  const rate = flags.rate === undefined ? {} : { ratePerSecond: number(flags.rate, "rate") };
  const turned =
    verb === "pause"
      ? await pauseRedrive(id, who)
      : verb === "stop"
        ? await stopRedrive(id, who)
        : await resumeRedrive(id, who, rate);
  const done = value(turned);
  if (!flags["dry-run"]) await ringDoorbell();
  print(flags, done, [`redrive ${done.redriveId}: ${done.state}`]);
}

async function showAll(flags: Flags): Promise<void> {
  const { redrives } = value(await listRedrives({ limit: PAGE }));
  const lines = redrives.map(redriveLine);
  print(flags, { redrives }, lines.length === 0 ? ["There has been no redrive."] : lines);
  if (redrives.some(pausedItself)) process.exitCode = NEEDS_SOMEBODY;
}

async function showOne(id: string, flags: Flags): Promise<void> {
  const detail = value(await readRedrive(id));
  print(flags, detail, redriveLines(detail));
  if (pausedItself(detail)) process.exitCode = NEEDS_SOMEBODY;
}

function pausedItself({ pauseKind }: { pauseKind: string | null }): boolean {
  return pauseKind !== null && pauseKind !== "operator";
}

async function filterOf(flags: Flags): Promise<DeadLetterFilter> {
  const nowMs = await transact((tx) => ledgerNowMs(tx));
  const withinMs = duration(flags, "within");
  const olderThanMs = duration(flags, "older-than");
  const parsed = deadLetterFilter.safeParse({
    channel: flags.channel,
    partition: flags.partition,
    reason: flags.cause,
    ...(withinMs === null ? {} : { diedAfterMs: Math.floor(nowMs - withinMs) }),
    ...(olderThanMs === null ? {} : { diedBeforeMs: Math.floor(nowMs - olderThanMs) }),
  });
  if (parsed.success) return parsed.data;
  throw new Usage(
    parsed.error.issues.map((issue) => `--${issue.path.join(".")}: ${issue.message}`).join("\n"),
  );
}

/** A verb's value; its problem in words ends the command with 2. */
function value<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Usage(problemDetail(result.problem));
}

function print(flags: Flags, json: object, lines: readonly string[]): void {
  printAnswer(flags, { json, lines: [...lines] });
}
