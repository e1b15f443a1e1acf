"use server";

import { redirect } from "next/navigation";
import { eraseSubscriber } from "../../../../db/privacy/erase";
import { endSessions } from "../../../../db/sessions";
import { requireActing } from "../../../_auth/session";
import { answerAfter, type FormState, sentenceOf } from "../../../_forms/form-state";
import { pageLanguage } from "../../../_language/language";
import { signOut } from "../../../sign-in/actions";

/** Who asks, in the audit log: it names nobody who is erased. */
const THEMSELVES = { name: "the person themselves", reason: "asked for on their own page" };

/** Ends every session of whoever is signed in, the present one included. */
export async function signOutEverywhere(): Promise<void> {
  const { userId } = await requireActing("/settings/account");
  await endSessions(userId);
  await signOut();
}

/** Erases whoever is signed in, with everything that is kept about them. Again there is nobody to erase. */
export async function deleteAccount(before: FormState): Promise<FormState> {
  const { subscriberId, role } = await requireActing("/settings/account/delete");
  const language = await pageLanguage();
  const refused = (message: string): FormState => {
    return { values: {}, errors: {}, message, answer: answerAfter(before) };
  };
  if (role !== "shopper") return refused(language.words.account.operator);
  const erased = await eraseSubscriber(subscriberId, THEMSELVES);
  if (!erased.ok) return refused(sentenceOf(erased.problem, language));
  redirect("/sign-in?gone");
}
