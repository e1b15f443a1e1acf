"use client";

import { useEffect, useRef } from "react";

/** A glance: shorter is a page on its way to another, and right at its waking a page cannot send anything yet. */
const GLANCE_MS = 1_000;

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
    const timer = setTimeout(look, GLANCE_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [tell]);
  return null;
}
