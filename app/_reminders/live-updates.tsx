"use client";

import { Pause, Play } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useState, useTransition } from "react";
import { useWords } from "../_language/give-words";

/**
 * Reads the page again when something is about to change, as long as it can be seen and nobody has paused it. The server
 * says after how long; each reading starts the next wait, and one that takes longer than that is waited for: a second one
 * would take its place, and of a server that answers slowly nothing would ever be seen.
 */
export function LiveUpdates({ lookAgainMs, readAtMs }: { lookAgainMs: number; readAtMs: number }) {
  const { frame } = useWords("frame").words;
  const router = useRouter();
  const [paused, setPaused] = useState(false);
  const [reading, startReading] = useTransition();

  // biome-ignore lint/correctness/useExhaustiveDependencies: each reading (readAtMs) starts the next wait
  useEffect(() => {
    if (paused || reading) return;
    const look = () => {
      if (document.visibilityState === "visible") startReading(() => router.refresh());
    };
    const timer = setInterval(look, lookAgainMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [router, paused, reading, lookAgainMs, readAtMs]);

  return (
    <button
      type="button"
      onClick={() => setPaused(!paused)}
      className="inline-flex min-h-9 items-center gap-1.5 rounded-lg px-2 text-sm font-medium text-ink-soft hover:text-ink"
    >
      {paused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
      {paused ? frame.resumeUpdates : frame.pauseUpdates}
    </button>
  );
}
