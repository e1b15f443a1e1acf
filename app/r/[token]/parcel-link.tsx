import type { MessageLocale } from "../../../db/rules/message-locale";
import type { Channel } from "../../../db/rules/outcome";
import type { ShipmentView } from "../../../db/shipments/read";
import { shipmentWords } from "../../../inngest/messages/shipment-words";
import { messageWords } from "../../../inngest/messages/words";
import { TextLink } from "../../_ui/button";
import { Notice } from "../../_ui/notice";
import { Card } from "../../_ui/page-parts";
import { SubmitButton } from "../../_ui/submit-button";
import { act } from "./actions";

interface ParcelLinkProps {
  token: string;
  parcel: ShipmentView;
  locale: MessageLocale;
  /** What was just done, as the address has it. */
  said: string | string[] | undefined;
  stop: Channel;
}

/** What a parcel's email opens: the parcel in a line, and two ways to hear no more, without signing in. */
export function ParcelLink({ token, parcel, locale, said, stop }: ParcelLinkProps) {
  const page = messageWords(locale).page;
  const { parcel: words } = page;
  const channel = page.channelNames[stop];
  const { headline, order } = shipmentWords(locale);
  const facts = [parcel.order === null ? null : order(parcel.order), parcel.carrier, parcel.trackingNumber];
  return (
    <>
      {said === "leave" && <Notice kind="good">{words.left}</Notice>}
      {said === "stop" && <Notice kind="good">{words.stopped(channel)}</Notice>}
      {said === "late" && <Notice kind="attention">{page.said.late}</Notice>}
      <Card className="space-y-5">
        <div className="space-y-1">
          <p className="text-sm text-ink-soft">{words.title}</p>
          <h1 className="text-2xl font-semibold break-words">
            {parcel.status === "pending" ? words.title : headline[parcel.status]}
          </h1>
          <p className="break-words text-ink-soft empty:hidden">
            <bdi>{facts.filter((fact) => fact !== null).join(" · ")}</bdi>
          </p>
        </div>
        {said !== "leave" && (
          <form action={act.bind(null, token, "leave", undefined)} className="space-y-2">
            <SubmitButton className="w-full">{words.leave}</SubmitButton>
            <p className="text-sm text-ink-soft">{words.leaveExplanation}</p>
          </form>
        )}
        {said !== "stop" && (
          <form action={act.bind(null, token, "stop", stop)} className="space-y-2">
            <SubmitButton kind="danger" className="w-full">
              {words.stopButton(channel)}
            </SubmitButton>
            <p className="text-sm text-ink-soft">{words.stopExplanation(channel)}</p>
          </form>
        )}
      </Card>
      <TextLink href={`/shipments/${parcel.id}`} prefetch={false} className="self-start">
        {words.signIn}
      </TextLink>
    </>
  );
}
