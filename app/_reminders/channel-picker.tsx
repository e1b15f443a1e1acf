"use client";

import { fill } from "../../db/rules/speech";
import { useWords } from "../_language/give-words";
import { ChannelIcon } from "../_ui/channel-icon";
import { FieldError } from "../_ui/field";
import type { ChannelChoice } from "./channel-choices";
import { ChannelPlan } from "./channel-plan";

interface ChannelPickerProps {
  choices: readonly ChannelChoice[];
  chosen: readonly string[];
  plan: "all" | "steps";
  stepMinutes: string;
  error: string | undefined;
}

/** How a reminder reaches somebody: the channels that do can be chosen, the others say what is missing. */
export function ChannelPicker({ choices, chosen, plan, stepMinutes, error }: ChannelPickerProps) {
  const { picker } = useWords("picker").words;
  const several = choices.filter(({ ready }) => ready).length > 1;
  return (
    <fieldset aria-describedby="channels-error">
      <legend className="mb-2 font-medium">{picker.legend}</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {choices.map((choice) => (
          <Choice
            key={choice.channel}
            choice={choice}
            checked={chosen.includes(choice.channel)}
            invalid={error !== undefined}
          />
        ))}
      </div>
      <FieldError id="channels-error" error={error} />
      {several && <ChannelPlan plan={plan} minutes={stepMinutes} />}
    </fieldset>
  );
}

function Choice({ choice, checked, invalid }: { choice: ChannelChoice; checked: boolean; invalid: boolean }) {
  const { frame, picker } = useWords("frame", "picker").words;
  const { channel, name, ready, detail, remedy } = choice;
  const id = `channel-${channel}`;
  return (
    <div
      className={`relative rounded-xl border p-3.5 ${ready ? "border-line-strong/70 bg-surface has-checked:border-accent has-checked:bg-accent-soft/60 has-checked:ring-1 has-checked:ring-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent" : "border-line bg-sunken"}`}
    >
      <label htmlFor={id} className="block">
        <span className="flex items-center gap-2.5">
          <ChannelIcon channel={channel} className="size-5 text-ink-soft" />
          <span className="grow font-medium">{name}</span>
          <input
            id={id}
            type="checkbox"
            name="channels"
            value={channel}
            defaultChecked={ready && checked}
            disabled={!ready}
            aria-invalid={invalid && ready ? true : undefined}
            className="size-5 shrink-0 accent-accent outline-none"
          />
        </span>
        <span className="mt-1 block text-sm break-words text-ink-soft">
          <BreakableAddress address={detail} />
        </span>
      </label>
      {remedy !== null && (
        <a
          href="/settings/channels"
          target="_blank"
          rel="noreferrer"
          className="mt-1 inline-flex min-h-8 items-center text-sm font-medium text-accent-ink underline underline-offset-2"
        >
          {remedy}
          <span className="sr-only">
            {" "}
            {fill(picker.forChannel, { channel: name })} {frame.newTab}
          </span>
        </a>
      )}
    </div>
  );
}

/** An address may be broken after its @, before it is broken anywhere. */
function BreakableAddress({ address }: { address: string }) {
  const [name, domain] = address.split("@");
  if (domain === undefined) return <bdi dir={address.startsWith("+") ? "ltr" : undefined}>{address}</bdi>;
  return (
    <bdi>
      {name}@<wbr />
      {domain}
    </bdi>
  );
}
