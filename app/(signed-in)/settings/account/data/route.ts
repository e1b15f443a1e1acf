import { exportSubscriber } from "../../../../../db/privacy/export";
import { actingShopper } from "../../../../_auth/session";
import { answered } from "../../../../_shell/answered";
import { problemAnswer } from "../../../../api/v1/http";

/** Everything that is kept about whoever is signed in, as a file for them alone. */
export function GET(): Promise<Response> {
  return answered("own data", async () => {
    const shopper = await actingShopper();
    if (shopper === null) return problemAnswer({ code: "unauthorised", why: "Sign in first." });
    const data = await exportSubscriber(shopper.subscriberId);
    if (!data.ok) return problemAnswer(data.problem);
    return new Response(`${JSON.stringify(data.value, null, 2)}\n`, {
      headers: {
        "content-type": "application/json",
        "content-disposition": 'attachment; filename="punctual-my-data.json"',
        "cache-control": "no-store",
      },
    });
  });
}
