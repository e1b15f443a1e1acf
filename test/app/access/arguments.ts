import { UNSENT } from "../../../app/_forms/form-state";
import type { Place } from "./places";

/** What an action is called with: its subject, where it has one, and the form with the state before. */
export function actionArguments({ method, run }: Place, about: string, form: FormData): unknown[] {
  const actions: Record<string, unknown[]> = {
    change: [about, "done"],
    describe: [about, form],
    testDevice: [about, UNSENT],
    wantChannel: ["shipments", "push", true],
    act: ["x", "done"],
    adoptZone: [form],
    saveSmsHours: [form],
  };
  return (
    actions[method] ??
    (run.length === 3 ? [about, UNSENT, form] : run.length === 1 ? [about] : [UNSENT, form])
  );
}
