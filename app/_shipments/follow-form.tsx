"use client";

import type { Channel } from "../../db/rules/outcome";
import type { Milestone } from "../../db/rules/shipment-status";
import { type FormState, UNSENT } from "../_forms/form-state";
import { useKeptForm } from "../_forms/use-kept-form";
import { useWords } from "../_language/give-words";
import { FieldError } from "../_ui/field";
import { Notice } from "../_ui/notice";
import { SubmitButton } from "../_ui/submit-button";

interface FollowFormProps {
  action: (state: FormState, form: FormData) => Promise<FormState>;
  following: boolean;
  /** Channels that reach this person. */
  channels: readonly { channel: Channel; name: string; off: boolean }[];
  milestones: readonly Milestone[];
  chosen: { channels: readonly Channel[]; milestones: readonly Milestone[]; policy: "every" | "latest" };
}

const BOX = "mt-0.5 size-5 shrink-0 accent-accent";

/** How a person wants to be told about a parcel: where, of what, and how often. */
export function FollowForm({ action, following, channels, milestones, chosen }: FollowFormProps) {
  const { shipment: words } = useWords("shipment").words;
  const { state, pending, form } = useKeptForm(action, UNSENT);
  const { errors } = state;
  return (
    <form {...form} noValidate className="space-y-6">
      <fieldset className="space-y-2" aria-describedby="channels-error">
        <legend className="mb-1 font-medium">{words.by}</legend>
        {channels.map(({ channel, name, off }) => (
          <label key={channel} className="flex min-h-8 items-start gap-3">
            <input
              type="checkbox"
              name="channels"
              value={channel}
              defaultChecked={chosen.channels.includes(channel)}
              aria-invalid={errors.channels === undefined ? undefined : true}
              className={BOX}
            />
            <span>
              {name}
              {off && <span className="block text-sm text-ink-soft">{words.off}</span>}
            </span>
          </label>
        ))}
        <FieldError id="channels-error" error={errors.channels} />
      </fieldset>
      <fieldset className="space-y-2" aria-describedby="milestones-error">
        <legend className="mb-1 font-medium">{words.when}</legend>
        {milestones.map((milestone) => (
          <label key={milestone} className="flex min-h-8 items-start gap-3">
            <input
              type="checkbox"
              name="milestones"
              value={milestone}
              defaultChecked={chosen.milestones.includes(milestone)}
              aria-invalid={errors.milestones === undefined ? undefined : true}
              className={BOX}
            />
            {words.milestone[milestone]}
          </label>
        ))}
        <FieldError id="milestones-error" error={errors.milestones} />
      </fieldset>
      <fieldset className="space-y-2">
        <legend className="mb-1 font-medium">{words.several}</legend>
        <label className="flex min-h-8 items-start gap-3">
          <input
            type="radio"
            name="policy"
            value="latest"
            defaultChecked={chosen.policy === "latest"}
            className={BOX}
          />
          {words.latest}
        </label>
        <label className="flex min-h-8 items-start gap-3">
          <input
            type="radio"
            name="policy"
            value="every"
            defaultChecked={chosen.policy === "every"}
            className={BOX}
          />
          {words.every}
        </label>
      </fieldset>
      <div className="flex flex-wrap gap-3">
        <SubmitButton busy={pending} name="intent" value="follow">
          {following ? words.saveFollow : words.follow}
        </SubmitButton>
        {following && (
          <SubmitButton busy={pending} kind="secondary" name="intent" value="leave">
            {words.leave}
          </SubmitButton>
        )}
      </div>
      <div aria-live="polite" className="empty:hidden">
        {state.message !== null && (
          <Notice kind={state.values.saved === "yes" ? "good" : "bad"}>{state.message}</Notice>
        )}
      </div>
    </form>
  );
}
