import { config } from "../../../../db/config";
import { recordReport } from "../../../../db/receipts/record";
import { log } from "../../../../inngest/log";
import { readResendWebhook } from "../../../../inngest/providers/resend-webhook";
import { readText } from "../../v1/body";
import { failureAnswer } from "../../v1/failure";

/**
 * Resend's reports on emails. Answered once it is stored: an answer that is not 2xx makes Resend send it again, for a day.
 */
export async function POST(request: Request): Promise<Response> {
  try {
    const body = await readText(request);
    if (!body.ok) return new Response(null, { status: 400 });
    const read = readResendWebhook(body.value, request.headers, config().resend.webhookSecrets);
    switch (read.kind) {
      case "forged":
        return new Response("The signature is missing, wrong or too old.", { status: 401 });
      case "unreadable":
        return new Response("The event cannot be read.", { status: 400 });
      case "ignored":
        return new Response(null, { status: 204 });
      case "report":
        await recordReport(read.report);
        return new Response(null, { status: 204 });
    }
  } catch (error) {
    log.error("a report of resend was not stored; it will come again", { error });
    return failureAnswer(error);
  }
}
