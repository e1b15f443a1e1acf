"use client";

import { useState } from "react";
import { useWords } from "../_language/give-words";
import { Input } from "../_ui/field";

interface ChannelPlanProps {
  plan: "all" | "steps";
  minutes: string;
}

/** All channels at once, or the next one only when the one before was not opened. */
export function ChannelPlan({ plan, minutes }: ChannelPlanProps) {
  const { picker } = useWords("picker").words;
  const [chosen, setChosen] = useState(plan);
  return (
    <fieldset className="mt-4">
      <legend className="sr-only">{picker.planLegend}</legend>
      <label className="flex min-h-10 items-center gap-3">
        <input
          type="radio"
          name="plan"
          value="all"
          checked={chosen === "all"}
          onChange={() => setChosen("all")}
          className="size-5 shrink-0 accent-accent"
        />
        {picker.allAtOnce}
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
        {picker.oneThenNext}
      </label>
      {chosen === "steps" && (
        <p className="mt-1 flex flex-wrap items-center gap-2 ps-8 text-[0.9375rem] text-ink-soft">
          <label htmlFor="stepMinutes">{picker.stepBefore}</label>
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
          {picker.stepAfter}
        </p>
      )}
    </fieldset>
  );
}
