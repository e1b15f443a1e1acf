"use server";

import { refresh } from "next/cache";
import { problemDetail } from "../../../../db/rules/errors";
import { parseBody } from "../../../../db/rules/parse-body";
import { followBody } from "../../../../db/rules/shipment-schemas";
import { followShipment, unfollowShipment } from "../../../../db/shipments/follow";
import { readShipment } from "../../../../db/shipments/read";
import { requireActing } from "../../../_auth/session";
import { type FormState, stateOfProblem, textOf } from "../../../_forms/form-state";
import { isShipmentId } from "../../../_shipments/shipment-id";

const FIELDS = {
  channels: { name: "channels", label: "The way to tell you" },
  milestones: { name: "milestones", label: "What you are told" },
};

/** Follows the parcel of a link for the person who is signed in, changes how, or ends it. */
export async function changeFollowing(id: string, before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing(`/shipments/${encodeURIComponent(id)}`);
  const parcel = isShipmentId(id) ? await readShipment({ id }) : null;
  const done = (message: string, saved: "yes" | "no"): FormState => {
    return { values: { saved }, errors: {}, message, answer: before.answer + 1 };
  };
  if (parcel === null) return done("There is no such parcel.", "no");
  if (textOf(form, "intent") === "leave") {
    const left = await unfollowShipment({ id }, subscriberId);
    if (!left.ok) return done(problemDetail(left.problem), "no");
    refresh();
    return done("You do not follow this parcel any more.", "yes");
  }
  const parsed = parseBody(followBody, {
    channels: form.getAll("channels"),
    milestones: form.getAll("milestones"),
    policy: textOf(form, "policy"),
  });
  if (!parsed.ok) return stateOfProblem(parsed.problem, before, { saved: "no" }, FIELDS);
  const followed = await followShipment({ id }, subscriberId, parsed.value);
  if (!followed.ok) return stateOfProblem(followed.problem, before, { saved: "no" }, FIELDS);
  refresh();
  return done("Saved. You are told from the next change on.", "yes");
}
