import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  groupIsAlive,
  isAlive,
  markProcess,
  type ProcessMark,
  signalGroup,
  stillRuns,
  waitUntil,
} from "./processes";

/** What a run leaves on disk about itself, for the next run to find if this one is killed with -9. */
type Record = { supervisor: ProcessMark; groups: { name: string; mark: ProcessMark }[] };

/** Killed processes are collected at once; this is for a machine out of breath. */
const GONE_TIMEOUT_MS = 5_000;

/**
 * Claims the folder for this run. Ends what a killed run left; throws when a run is still alive, for two of them would
 * share one build folder and one database.
 */
export async function claimFolder(file: string, print: (line: string) => void) {
  const before = await readFile(file, "utf8").then(
    (text) => JSON.parse(text) as Record,
    () => null,
  );
  if (before !== null) await endLeftovers(before, print);
  const record: Record = { supervisor: markProcess(process.pid), groups: [] };
  // Writes follow each other, so that the file is never a mixture of two.
  let written: Promise<void> = mkdir(dirname(file), { recursive: true }).then(() => undefined);
  const write = () => {
    const text = JSON.stringify(record);
    written = written.then(() => writeFile(file, text));
    return written;
  };
  await write();
  return {
    /** Notes the process group that now carries that name. */
    note(name: string, pid: number): Promise<void> {
      record.groups = [
        ...record.groups.filter((group) => group.name !== name),
        { name, mark: markProcess(pid) },
      ];
      return write();
    },
    async release(): Promise<void> {
      await written;
      await rm(file, { force: true });
    },
  };
}

async function endLeftovers(record: Record, print: (line: string) => void): Promise<void> {
  if (record.supervisor.pid !== process.pid && stillRuns(record.supervisor)) {
    throw new Error(
      `\`npm run dev\` already runs in this folder (process ${record.supervisor.pid}). Stop it first.`,
    );
  }
  for (const { name, mark } of record.groups) {
    // A group outlives its leader, and while it does, its id is given to nobody else.
    const ours = groupIsAlive(mark.pid) && (stillRuns(mark) || !isAlive(mark.pid));
    if (!ours) continue;
    print(`ending the ${name} that an earlier run left behind (process group ${mark.pid})`);
    signalGroup(mark.pid, "SIGKILL");
    await waitUntil(() => !groupIsAlive(mark.pid), GONE_TIMEOUT_MS);
  }
}
