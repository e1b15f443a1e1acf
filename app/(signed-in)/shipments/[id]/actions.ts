"use server";

import { refresh } from "next/cache";
import { parseBody } from "../../../../db/rules/parse-body";
import { followBody } from "../../../../db/rules/shipment-schemas";
import { followShipment, unfollowShipment } from "../../../../db/shipments/follow";
import { readShipment } from "../../../../db/shipments/read";
import { requireActing } from "../../../_auth/session";
import {
  allOf,
  answerAfter,
  type FormState,
  sentenceOf,
  stateOfProblem,
  textOf,
} from "../../../_forms/form-state";
import { pageLanguage } from "../../../_language/language";
import { pathSegment } from "../../../_shell/path-segment";
import { isShipmentId } from "../../../_shipments/shipment-id";

/** Follows the parcel of a link for the person who is signed in, changes how, or ends it. */
export async function changeFollowing(id: string, before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing(`/shipments/${pathSegment(id)}`);
  const language = await pageLanguage();
  const words = language.words.shipment;
  const fields = {
    channels: { name: "channels", label: words.fields.channels },
    milestones: { name: "milestones", label: words.fields.milestones },
  };
  const parcel = isShipmentId(id) ? await readShipment({ id }) : null;
  const done = (message: string, saved: "yes" | "no"): FormState => {
    return { values: { saved }, errors: {}, message, answer: answerAfter(before) };
  };
  if (parcel === null) return done(words.noParcel, "no");
  if (textOf(form, "intent") === "leave") {
    const left = await unfollowShipment({ id }, subscriberId);
    if (!left.ok) return done(sentenceOf(left.problem, language), "no");
    refresh();
    return done(words.left, "yes");
  }
  const parsed = parseBody(followBody, {
    channels: allOf(form, "channels"),
    milestones: allOf(form, "milestones"),
    policy: textOf(form, "policy"),
  });
  if (!parsed.ok) return stateOfProblem(parsed.problem, before, { saved: "no" }, fields, language);
  const followed = await followShipment({ id }, subscriberId, parsed.value);
  if (!followed.ok) return stateOfProblem(followed.problem, before, { saved: "no" }, fields, language);
  refresh();
  return done(words.saved, "yes");
}
