import type { Metadata } from "next";
import { formatWhen } from "../../../db/rules/time-zone";
import { readShopper } from "../../../db/shoppers";
import { requireShopper } from "../../_auth/session";
import { zonesWith } from "../../_time/zones";
import { Card, PageHeading } from "../../_ui/page-parts";
import { When } from "../../_ui/when";
import { PauseForm } from "./pause-form";
import { SettingsForm } from "./settings-form";

export const metadata: Metadata = { title: "Settings" };

/** How times are read, and when nothing should arrive. */
export default async function SettingsPage() {
  const { subscriberId } = await requireShopper("/settings");
  const shopper = await readShopper(subscriberId);
  if (shopper === null) throw new Error("Bug! somebody is signed in who does not exist");
  const { timeZone, quietHours, pausedUntilMs, nowMs } = shopper;
  return (
    <div className="mx-auto max-w-2xl space-y-6">
      <PageHeading title="Settings">
        <p className="text-ink-soft">
          For you it is now <When atMs={nowMs} timeZone={timeZone} nowMs={nowMs} />.
        </p>
      </PageHeading>
      <Card>
        <SettingsForm timeZone={timeZone} zones={zonesWith(timeZone)} quietHours={quietHours} />
      </Card>
      <Card>
        <PauseForm until={pausedUntilMs === null ? null : formatWhen(pausedUntilMs, timeZone, "en")} />
      </Card>
    </div>
  );
}
