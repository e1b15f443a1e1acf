"use client";

import { useRouter } from "next/navigation";
import { Unreadable } from "./unreadable";

/** The console while nobody can be asked who is there: its frame would already say too much. */
export function ClosedConsole() {
  const router = useRouter();
  return (
    <main id="main" lang="en" dir="ltr" className="mx-auto w-full max-w-7xl grow px-4 sm:px-6">
      <Unreadable reference={null} retry={() => router.refresh()} />
    </main>
  );
}
