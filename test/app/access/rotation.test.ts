import "next/dist/server/node-environment-baseline";
import { afterEach, expect, test } from "vitest";
import { auth } from "../../../app/_auth/auth";
import { actingShopper } from "../../../app/_auth/session";
import { resetConfig } from "../../../db/config";
import { confirmPhoneCode, startPhoneCode } from "../../../db/phone-codes";
import { linkToken, parcelToken, readLinkToken, readParcelToken } from "../../../inngest/messages/links";
import { makeSubscriber } from "../../support/factories";
import { requestScope } from "../../support/request-scope";
import { signedIn } from "./people";

const OLD = process.env.AUTH_SECRET ?? "";
const NEW = "another-secret-another-secret-another-42";
const ID = "0b6cf4c1-5a2e-4f6e-9c8e-3f6f0d1c2b3a";

/** As a process that was started with these. */
function start(secret: string, previous?: string): void {
  process.env.AUTH_SECRET = secret;
  if (previous === undefined) delete process.env.AUTH_SECRETS_PREVIOUS;
  else process.env.AUTH_SECRETS_PREVIOUS = previous;
  resetConfig();
  delete (globalThis as { punctualAuth?: unknown }).punctualAuth;
}

afterEach(() => start(OLD));

test("a session and a link outlive a change of the secret, and end when the old one is taken out", async () => {
  start(OLD);
  const { headers, subscriberId } = await signedIn("shopper");
  const token = linkToken(ID);
  const following = { shipmentId: ID, subscriberId: subscriberId ?? "" };
  const parcel = parcelToken(following);
  const who = () => requestScope(new Headers(headers)).run(() => actingShopper() as Promise<never>);
  expect(await who()).toMatchObject({ subscriberId });
  start(NEW, OLD);
  expect(await who()).toMatchObject({ subscriberId });
  expect(readLinkToken(token)).toBe(ID);
  expect(readParcelToken(parcel)).toEqual(following);
  expect(parcelToken(following)).not.toBe(parcel);
  expect(linkToken(ID)).not.toBe(token);
  start(NEW);
  expect(await who()).toBeNull();
  expect(readLinkToken(token)).toBeNull();
  expect(readParcelToken(parcel)).toBeNull();
});

test("a phone code that was sent under the secret of before still proves its number, and none under a foreign one", async () => {
  start(OLD);
  const { id } = await makeSubscriber();
  const sent = await startPhoneCode(id, "+12025550188");
  if (!sent.ok) throw new Error("no code");
  const { destinationId, code } = sent.value;
  start(NEW);
  expect((await confirmPhoneCode(id, destinationId, code)).ok).toBe(false);
  start(NEW, OLD);
  expect((await confirmPhoneCode(id, destinationId, code)).ok).toBe(true);
});

test("an emailed code that was sent under the secret of before signs in, and none under a foreign one", async () => {
  const signIn = (email: string, otp: string) =>
    requestScope()
      .run(() => auth().api.signInEmailOTP({ body: { email, otp }, headers: new Headers() }))
      .then(
        ({ user }) => user.email,
        () => "refused",
      );
  start(OLD);
  const codeFor = (email: string) => auth().api.createVerificationOTP({ body: { email, type: "sign-in" } });
  const [kept, lost] = ["kept@shopper.example", "lost@shopper.example"];
  const codes = { kept: await codeFor(kept), lost: await codeFor(lost) };
  start(NEW);
  expect(await signIn(lost, codes.lost)).toBe("refused");
  start(NEW, OLD);
  expect(await signIn(kept, codes.kept)).toBe(kept);
});
