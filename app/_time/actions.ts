"use server";

import { refresh } from "next/cache";
import { checkTimeZone } from "../../db/rules/time-zone";
import { updateSubscriber } from "../../db/subscribers";
import { requireActing } from "../_auth/session";
import { textOf } from "../_forms/form-state";

/** Makes the browser's zone the one in which the person reads times. Reminders keep the zone they were made with. */
export async function adoptZone(form: FormData): Promise<void> {
  const shopper = await requireActing("/reminders");
  const zone = checkTimeZone("timeZone", textOf(form, "timeZone"));
  if (zone.ok) await updateSubscriber(shopper.subscriberId, { timeZone: zone.value });
  refresh();
}
