"use client";

import { Pause, Play } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";

/**
 * Reads the page again when something is about to change, as long as it can be seen and nobody has paused it. The server
 * says after how long; each reading starts the next wait.
 */
export function LiveUpdates({ lookAgainMs, readAtMs }: { lookAgainMs: number; readAtMs: number }) {
  const router = useRouter();
  const [paused, setPaused] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each reading (readAtMs) starts the next wait
  useEffect(() => {
    if (paused) return;
    const look = () => {
      if (document.visibilityState === "visible") router.refresh();
    };
    const timer = setInterval(look, lookAgainMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [router, paused, lookAgainMs, readAtMs]);

  return (
    <button
      type="button"
      onClick={() => setPaused(!paused)}
      className="inline-flex min-h-9 items-center gap-1.5 rounded-lg px-2 text-sm font-medium text-ink-soft hover:text-ink"
    >
      {paused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
      {paused ? "Resume updates" : "Pause updates"}
    </button>
  );
}
