"use client";

import { useCallback, useRef } from "react";

/** The server's clock, going on while the page is open: not the device's, which may be wrong. */
export function useNow(nowMs: number): () => number {
  const readAt = useRef<number | null>(null);
  return useCallback(() => {
    readAt.current ??= performance.now();
    return nowMs + performance.now() - readAt.current;
  }, [nowMs]);
}
