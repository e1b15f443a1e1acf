"use client";

import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";

interface DisclosureProps {
  label: ReactNode;
  summaryClass: string;
  panelClass: string;
  children: ReactNode;
}

/** A panel that opens below its button. It works without script; with it, Escape and a click elsewhere close it. */
export function Disclosure({ label, summaryClass, panelClass, children }: DisclosureProps) {
  const details = useRef<HTMLDetailsElement>(null);

  useEffect(() => {
    const closeOutside = (event: PointerEvent) => {
      const inside = event.target instanceof Node && details.current?.contains(event.target);
      if (details.current !== null && !inside) details.current.open = false;
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, []);

  const onKeyDown = (event: KeyboardEvent<HTMLDetailsElement>) => {
    if (event.key !== "Escape" || !details.current?.open) return;
    details.current.open = false;
    details.current.querySelector("summary")?.focus();
  };

  return (
    <details ref={details} onKeyDown={onKeyDown} className="group relative">
      <summary className={summaryClass}>{label}</summary>
      <div
        className={`absolute z-30 mt-2 rounded-xl border border-line bg-surface p-1.5 shadow-card ${panelClass}`}
      >
        {children}
      </div>
    </details>
  );
}
