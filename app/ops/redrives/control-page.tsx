import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { readRedrive } from "../../../db/redrive/read";
import type { RedriveDetail } from "../../../db/redrive/views";
import type { FormState } from "../../_forms/form-state";
import { ConfirmForm } from "../../_ops/confirm-form";
import { LeverPage } from "../../_ops/lever-page";
import type { ButtonKind } from "../../_ui/button";

interface ControlPageProps {
  id: string;
  mayAct: boolean;
  title: string;
  /** What it will do, of the redrive as it is. */
  effect: (redrive: RedriveDetail) => ReactNode;
  action: (id: string, state: FormState, form: FormData) => Promise<FormState>;
  button: (redrive: RedriveDetail) => string;
  kind?: ButtonKind;
}

/** The question before a running or paused redrive is changed. Opening it changes nothing. */
export async function ControlPage({ id, mayAct, title, effect, action, button, kind }: ControlPageProps) {
  const found = await readRedrive(id);
  if (!found.ok || found.value.state === "previewed") notFound();
  const back = `/ops/redrives/${found.value.id}`;
  return (
    <LeverPage
      title={title}
      back={{ href: back, name: "The redrive" }}
      mayAct={mayAct}
      effect={effect(found.value)}
    >
      <ConfirmForm
        action={action.bind(null, found.value.id)}
        chosen={{}}
        button={button(found.value)}
        {...(kind === undefined ? {} : { kind })}
        back={{ href: back, name: "Leave it as it is" }}
      />
    </LeverPage>
  );
}
