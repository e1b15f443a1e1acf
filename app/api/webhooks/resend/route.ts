import { config } from "../../../../db/config";
import { recordReport } from "../../../../db/receipts/record";
import { readResendWebhook } from "../../../../inngest/providers/resend-webhook";
import { answered } from "../../../_shell/answered";
import { readText } from "../../v1/body";

/**
 * Resend's reports on emails. Answered once it is stored: an answer that is not 2xx makes Resend send it again, for a day.
 */
export function POST(request: Request): Promise<Response> {
  const work = async () => {
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
  };
  // Whoever reports comes again after an error, and after a silence of their own.
  return answered("resend webhook", work, null);
}
