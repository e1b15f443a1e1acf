"use client";

import { useEffect, useRef } from "react";

/** Tells once that somebody is looking. By script and not by the page's reading: scanners and prefetches read pages too. */
export function Opened({ tell }: { tell: () => Promise<void> }) {
  const told = useRef(false);
  useEffect(() => {
    const look = () => {
      if (told.current || document.visibilityState !== "visible") return;
      told.current = true;
      tell().catch(() => {
        told.current = false;
      });
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [tell]);
  return null;
}
