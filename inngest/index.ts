import { admitDeliveries } from "./functions/admit-deliveries";
import { cleanLedgerCron } from "./functions/clean-ledger";
import { deadLetter } from "./functions/dead-letter";
import { deliverEmail, deliverPush, deliverSms } from "./functions/deliver";
import { fanOutShipment } from "./functions/fan-out-shipment";
import { lookUpUnknownCron } from "./functions/look-up-unknown";
import { publishOutboxCron } from "./functions/publish-outbox";
import { rederiveInstantsCron } from "./functions/rederive-instants";
import { redriveDeadLetters } from "./functions/redrive-dead-letters";
import { reportDeadLettersCron } from "./functions/report-dead-letters";
import { sweepCron } from "./functions/sweep";
import { waitUntilDue } from "./functions/wait-until-due";

export { inngest } from "./client";

/** Every function, in the order in which a reminder meets them. Only the route `api/inngest` imports this. */
export const functions = [
  publishOutboxCron,
  waitUntilDue,
  fanOutShipment,
  admitDeliveries,
  deliverEmail,
  deliverSms,
  deliverPush,
  lookUpUnknownCron,
  deadLetter,
  redriveDeadLetters,
  sweepCron,
  rederiveInstantsCron,
  cleanLedgerCron,
  reportDeadLettersCron,
];
