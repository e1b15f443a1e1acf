import type { InngestFunction } from "inngest";
import { serve } from "inngest/edge";
import { POST as resendReports } from "../../app/api/webhooks/resend/route";
import { POST as twilioReports } from "../../app/api/webhooks/twilio/route";
import { functions, inngest } from "../../inngest";
import { DEFAULT_WEBHOOK_SECRET, signSvix } from "../../standins/providers";

export type Routes = (request: Request) => Promise<Response>;

/** The app's own routes, by path, for a build that has these functions. */
export function routesOf(build: InngestFunction.Any[]): Routes {
  const inngestHandler = serve({ client: inngest, functions: build }) as Routes;
  return async (request) => {
    switch (new URL(request.url).pathname) {
      case "/api/webhooks/resend":
        return resendReports(request);
      case "/api/webhooks/twilio":
        return twilioReports(request);
      default:
        return inngestHandler(request);
    }
  };
}

export const routes = routesOf([...functions]);

/** Resend's SDK judges the age of a report by the real clock, so it is signed anew at the real time. */
export function signedNow(init: RequestInit): RequestInit {
  const headers = new Headers(init.headers);
  const id = headers.get("svix-id");
  if (id === null) return init;
  const seconds = Math.floor(Date.now() / 1000);
  headers.set("svix-timestamp", String(seconds));
  headers.set("svix-signature", signSvix(DEFAULT_WEBHOOK_SECRET, id, seconds, String(init.body)));
  return { ...init, headers };
}
