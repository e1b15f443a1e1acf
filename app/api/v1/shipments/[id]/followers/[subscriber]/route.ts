import { checkExternalId } from "../../../../../../../db/rules/api-schemas";
import { invalid, ok, type Result } from "../../../../../../../db/rules/errors";
import { checkShipmentId, followBody } from "../../../../../../../db/rules/shipment-schemas";
import { followShipment, unfollowShipment } from "../../../../../../../db/shipments/follow";
import { findSubscriber } from "../../../../../../../db/subscribers";
import { answer, handle, problemAnswer, readBody } from "../../../../http";

interface Context {
  params: Promise<{ id: string; subscriber: string }>;
}

/** Lets a subscriber follow a parcel, or changes how they do; a parcel that nobody has reported yet may be followed. */
export function PUT(request: Request, { params }: Context): Promise<Response> {
  return handle(request, "shipments", async () => {
    const names = await readNames(await params);
    if (!names.ok) return problemAnswer(names.problem);
    const body = await readBody(request, followBody);
    if (!body.ok) return problemAnswer(body.problem);
    const { externalId, subscriberId } = names.value;
    return answer(await followShipment({ externalId }, subscriberId, body.value.value));
  });
}

/** Ends the following; what still waits is not sent. */
export function DELETE(request: Request, { params }: Context): Promise<Response> {
  return handle(request, "shipments", async () => {
    const names = await readNames(await params);
    if (!names.ok) return problemAnswer(names.problem);
    const { externalId, subscriberId } = names.value;
    const left = await unfollowShipment({ externalId }, subscriberId);
    return left.ok ? answer(ok({ following: false })) : problemAnswer(left.problem);
  });
}

async function readNames(given: {
  id: string;
  subscriber: string;
}): Promise<Result<{ externalId: string; subscriberId: string }>> {
  const shipment = checkShipmentId("id", given.id);
  if (!shipment.ok) return shipment;
  const name = checkExternalId("subscriber", given.subscriber);
  const subscriber = name.ok ? await findSubscriber(name.value) : null;
  if (subscriber === null) {
    return invalid("subscriber", given.subscriber, "the external id of a subscriber that was PUT before");
  }
  return ok({ externalId: shipment.value, subscriberId: subscriber.id });
}
