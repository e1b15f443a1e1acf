"use client";

import { unstable_isUnrecognizedActionError, unstable_rethrow } from "next/navigation";
import { type FormEvent, useActionState, useEffect, useRef, useState, useTransition } from "react";
import type { Words } from "../../db/rules/speech";
import { useWords } from "../_language/give-words";
import type { FormState } from "./form-state";

type Action = (state: FormState, form: FormData) => Promise<FormState>;

/**
 * A form whose input stays when it is refused, and when it does not get through. React empties a form after its action,
 * and an action that fails takes the whole page away; so it is sent by hand, while `action` remains for browsers that
 * have not loaded the script. After a refusal the focus goes to the first field that was not accepted.
 */
export function useKeptForm(action: Action, initial: FormState) {
  const { frame } = useWords("frame").words;
  const [served, formAction] = useActionState(action, initial);
  const [answered, setAnswered] = useState<FormState | null>(null);
  const [pending, startTransition] = useTransition();
  const form = useRef<HTMLFormElement>(null);
  const state = answered ?? served;

  useEffect(() => {
    if (state.answer === 0) return;
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [state.answer]);

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const submitter = (event.nativeEvent as SubmitEvent).submitter;
    const data = new FormData(event.currentTarget, submitter);
    startTransition(async () => {
      const answer = await send(action, state, data, frame);
      startTransition(() => setAnswered(answer));
    });
  };
  return { state, pending, form: { ref: form, action: formAction, onSubmit } };
}

/** Sends it; what did not get through is an answer like any other. A redirect goes on its way. */
async function send(
  action: Action,
  state: FormState,
  data: FormData,
  words: Words["frame"],
): Promise<FormState> {
  try {
    return await action(state, data);
  } catch (error) {
    unstable_rethrow(error);
    const message = unstable_isUnrecognizedActionError(error) ? words.olderPage : words.notThrough;
    return { ...state, errors: {}, message, answer: state.answer + 1 };
  }
}
