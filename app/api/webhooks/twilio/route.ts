import { config } from "../../../../db/config";
import { recordInboundWish } from "../../../../db/receipts/inbound";
import { recordReport } from "../../../../db/receipts/record";
import { readTwilioCallback } from "../../../../inngest/providers/twilio-webhook";
import { answered } from "../../../_shell/answered";
import { readText } from "../../v1/body";

/** No words of ours: Twilio itself answers STOP, START and HELP. */
const NO_REPLY = `<?xml version="1.0" encoding="UTF-8"?><Response></Response>`;

/** Twilio's reports on texts, and what people answer to them. */
export function POST(request: Request): Promise<Response> {
  const work = async () => {
    const body = await readText(request);
    if (!body.ok) return new Response(null, { status: 400 });
    const { appUrl, twilio } = config();
    const { pathname, search } = new URL(request.url);
    const tokens = [twilio.authToken, twilio.previousAuthToken].filter((token) => token !== null);
    const signature = request.headers.get("x-twilio-signature");
    const read = readTwilioCallback(body.value, { url: `${appUrl}${pathname}${search}`, signature }, tokens);
    switch (read.kind) {
      case "forged":
        return new Response("The signature is missing or wrong.", { status: 403 });
      case "ignored":
        return new Response(null, { status: 204 });
      case "report":
        await recordReport(read.report);
        return new Response(null, { status: 204 });
      case "inbound":
        await recordInboundWish(read);
        return new Response(NO_REPLY, { headers: { "content-type": "text/xml" } });
    }
  };
  // Whoever reports comes again after an error, and after a silence of their own.
  return answered("twilio webhook", work, null);
}
