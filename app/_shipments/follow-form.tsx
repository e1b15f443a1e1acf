"use client";

import type { Channel } from "../../db/rules/outcome";
import type { Milestone } from "../../db/rules/shipment-status";
import { MILESTONE_CHOICE } from "../../db/rules/shipment-words";
import { CHANNEL_NAME } from "../../db/rules/story-line";
import { type FormState, UNSENT } from "../_forms/form-state";
import { useKeptForm } from "../_forms/use-kept-form";
import { FieldError } from "../_ui/field";
import { Notice } from "../_ui/notice";
import { SubmitButton } from "../_ui/submit-button";

interface FollowFormProps {
  action: (state: FormState, form: FormData) => Promise<FormState>;
  following: boolean;
  /** Channels that reach this person. */
  channels: readonly Channel[];
  milestones: readonly Milestone[];
  chosen: { channels: readonly Channel[]; milestones: readonly Milestone[]; policy: "every" | "latest" };
}

const BOX = "mt-0.5 size-5 shrink-0 accent-accent";

/** How a person wants to be told about a parcel: where, of what, and how often. */
export function FollowForm({ action, following, channels, milestones, chosen }: FollowFormProps) {
  const { state, pending, form } = useKeptForm(action, UNSENT);
  const { errors } = state;
  return (
    <form {...form} noValidate className="space-y-6">
      <fieldset className="space-y-2" aria-describedby="channels-error">
        <legend className="mb-1 font-medium">Tell me by</legend>
        {channels.map((channel) => (
          <label key={channel} className="flex min-h-8 items-start gap-3">
            <input
              type="checkbox"
              name="channels"
              value={channel}
              defaultChecked={chosen.channels.includes(channel)}
              aria-invalid={errors.channels === undefined ? undefined : true}
              className={BOX}
            />
            {CHANNEL_NAME[channel]}
          </label>
        ))}
        <FieldError id="channels-error" error={errors.channels} />
      </fieldset>
      <fieldset className="space-y-2" aria-describedby="milestones-error">
        <legend className="mb-1 font-medium">When</legend>
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
            {MILESTONE_CHOICE[milestone]}
          </label>
        ))}
        <FieldError id="milestones-error" error={errors.milestones} />
      </fieldset>
      <fieldset className="space-y-2">
        <legend className="mb-1 font-medium">If several changes come at once</legend>
        <label className="flex min-h-8 items-start gap-3">
          <input
            type="radio"
            name="policy"
            value="latest"
            defaultChecked={chosen.policy === "latest"}
            className={BOX}
          />
          Only the newest
        </label>
        <label className="flex min-h-8 items-start gap-3">
          <input
            type="radio"
            name="policy"
            value="every"
            defaultChecked={chosen.policy === "every"}
            className={BOX}
          />
          Each of them, in order
        </label>
      </fieldset>
      <div className="flex flex-wrap gap-3">
        <SubmitButton busy={pending} name="intent" value="follow">
          {following ? "Save how you follow this parcel" : "Follow this parcel"}
        </SubmitButton>
        {following && (
          <SubmitButton busy={pending} kind="secondary" name="intent" value="leave">
            Stop following this parcel
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
