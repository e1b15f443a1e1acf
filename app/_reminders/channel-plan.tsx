"use client";

import { useState } from "react";
import { Input } from "../_ui/field";

interface ChannelPlanProps {
  plan: "all" | "steps";
  minutes: string;
}

/** All channels at once, or the next one only when the one before was not opened. */
export function ChannelPlan({ plan, minutes }: ChannelPlanProps) {
  const [chosen, setChosen] = useState(plan);
  return (
    <fieldset className="mt-4">
      <legend className="sr-only">All at once, or one after the other</legend>
      <label className="flex min-h-10 items-center gap-3">
        <input
          type="radio"
          name="plan"
          value="all"
          checked={chosen === "all"}
          onChange={() => setChosen("all")}
          className="size-5 shrink-0 accent-accent"
        />
        All of them at once
      </label>
      <label className="flex min-h-10 items-center gap-3">
        <input
          type="radio"
          name="plan"
          value="steps"
          checked={chosen === "steps"}
          onChange={() => setChosen("steps")}
          className="size-5 shrink-0 accent-accent"
        />
        One, then the next if I have not opened it
      </label>
      {chosen === "steps" && (
        <p className="mt-1 flex flex-wrap items-center gap-2 pl-8 text-[0.9375rem] text-ink-soft">
          <label htmlFor="stepMinutes">Push, then email, then SMS, each after</label>
          <Input
            id="stepMinutes"
            name="stepMinutes"
            type="number"
            inputMode="numeric"
            min={1}
            max={1440}
            defaultValue={minutes}
            className="w-22! tabular-nums"
          />
          minutes
        </p>
      )}
    </fieldset>
  );
}
