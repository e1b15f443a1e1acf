import { type Finding, lineAt, type SourceFile } from "./source-files";

/** Folders of one particular machine. Built from parts, for this file is looked through as well. */
const MACHINE_PATH = new RegExp(
  `(?<![\\w.$}/*-])/(${["work", "home", "root", "Users", "mnt"].join("|")})/[\\w.-]+`,
  "g",
);

const WINDOWS_PATH = /\b[A-Z]:\\\\?(Users|Program Files)\b/g;

/** Where packages are downloaded from: the reader's own settings decide that. */
const REGISTRY_HOST = new RegExp(
  `https?://[\\w.-]*(${["registry", "artifactory", "nexus", "verdaccio", "mirror"].join("|")})[\\w.-]*`,
  "gi",
);

/** Text that is true on one machine only. */
export function placeFindings(file: SourceFile): Finding[] {
  const looks: [RegExp, string][] = [
    [MACHINE_PATH, "names a folder of one machine"],
    [WINDOWS_PATH, "names a folder of one machine"],
    [REGISTRY_HOST, "names a package registry"],
  ];
  return looks.flatMap(([pattern, what]) =>
    [...file.text.matchAll(pattern)].map((match) => ({
      path: file.path,
      line: lineAt(file.text, match.index),
      message: `${what}: ${match[0]}`,
    })),
  );
}
