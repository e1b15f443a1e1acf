"use client";

import { useEffect, useRef, useState } from "react";
import { fill, type Speech } from "../../db/rules/speech";
import { useWords } from "../_language/give-words";
import { relativeTime, shortTime } from "../_time/format";
import { readWhen, unclear, type WhenInput, wallTimeOfFields } from "./due-input";
import { fieldsOfRepeat, type RepeatInput } from "./repeat-input";
import type { TypedEcho } from "./typed-field";
import { useNow } from "./use-now";

/** What the composer knows of when: the fields, how it repeats, and what was typed in words. */
export interface ComposerWhen extends WhenInput {
  typed: string;
  floating: boolean;
  throughQuiet: boolean;
  repeat: RepeatInput;
}

/** Keeps the ways of saying when in step: a preset, a text and the fields always show one and the same time. */
export function useWhen(initial: ComposerWhen, readAtMs: number) {
  const language = useWords("recurrence", "when");
  const [when, setWhen] = useState(initial);
  const [echo, setEcho] = useState<TypedEcho | null>(null);
  const latest = useRef(initial.typed);
  const now = useNow(readAtMs);

  const set = (change: Partial<ComposerWhen>) => setWhen((before) => ({ ...before, ...change }));
  const choose = (choice: string) => {
    const [date = "", time = ""] = choice.split("T");
    setEcho(null);
    set(choice === "custom" ? { choice } : { choice, date, time, typed: "" });
  };
  const edit = (change: Partial<WhenInput>) => {
    setEcho(null);
    set({ ...change, choice: "custom", typed: "" });
  };
  const type = (typed: string) => {
    latest.current = typed;
    set({ typed, choice: typed === "" ? "custom" : "typed" });
    if (typed.trim() === "") return setEcho(null);
    void readTyped(typed, now(), when.timeZone, language).then((read) => {
      // A slower answer to an earlier text is not the answer to this one.
      if (latest.current !== typed || read === null) return;
      if (!read.ok) return setEcho({ ok: false, words: unclear(typed, language.words.when) });
      const [date = "", time = ""] = read.local.split("T");
      set({
        date,
        time: time.slice(0, 5),
        ...(read.repeat === null ? {} : { repeat: fieldsOfRepeat(read.repeat) }),
      });
      setEcho({ ok: true, words: read.words });
    });
  };
  // Words that came with a link are read as if they had just been typed.
  const began = useRef(false);
  useEffect(() => {
    if (began.current || initial.choice !== "typed") return;
    began.current = true;
    type(initial.typed);
  });
  const wall = wallTimeOfFields(when);
  return { when, echo, wall, set, choose, edit, type, read: readWhen(when, now(), language), nowMs: now() };
}

/** Reads a typed text with the parser, which is fetched at first use. Null when it could not be fetched. */
async function readTyped(
  typed: string,
  nowMs: number,
  timeZone: string,
  language: Speech<"recurrence" | "when">,
) {
  const fetched = await Promise.all([
    import("../../db/rules/typed-when"),
    import("../../db/rules/recurrence-words"),
    import("../../db/rules/due-time"),
  ]).catch(() => null);
  if (fetched === null) return null;
  const [{ readTypedWhen }, { tellRecurrence }, { resolveWallTime }] = fetched;
  const read = readTypedWhen(typed, nowMs, timeZone);
  if (!read.ok) return read;
  const { dueAtMs } = resolveWallTime(read.local, timeZone);
  const { tag, words } = language;
  const at = { when: shortTime(dueAtMs, timeZone, nowMs, tag), relative: relativeTime(dueAtMs, nowMs, tag) };
  const said =
    read.repeat === null
      ? fill(words.when.typedOnce, at)
      : fill(words.when.typedSeries, { ...at, series: tellRecurrence(read.repeat, language) });
  return { ...read, words: said };
}
