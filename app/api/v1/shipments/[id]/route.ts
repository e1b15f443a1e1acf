import { config } from "../../../../../db/config";
import { fail, ok } from "../../../../../db/rules/errors";
import { checkShipmentId } from "../../../../../db/rules/shipment-schemas";
import { readShipment } from "../../../../../db/shipments/read";
import { answer, handle, problemAnswer } from "../../http";

interface Context {
  params: Promise<{ id: string }>;
}

/** A parcel with the history of its scans, and the link with which a shopper follows it. */
export function GET(request: Request, { params }: Context): Promise<Response> {
  return handle(request, "shipments", async () => {
    const name = checkShipmentId("id", (await params).id);
    const view = name.ok ? await readShipment({ externalId: name.value }) : null;
    if (view === null) return problemAnswer(fail({ code: "not_found", what: "parcel" }).problem);
    const { id, ...shipment } = view;
    const history = shipment.history.map(({ id: _, ...scan }) => scan);
    return answer(ok({ ...shipment, history, followUrl: `${config().appUrl}/shipments/${id}` }));
  });
}
