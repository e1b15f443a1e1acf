DROP INDEX "deliveries_oldest";--> statement-breakpoint
DROP INDEX "deliveries_dead";--> statement-breakpoint
DROP INDEX "deliveries_finished";--> statement-breakpoint
ALTER TABLE "redrives" ADD COLUMN "gate" jsonb;--> statement-breakpoint
CREATE INDEX "deliveries_oldest" ON "deliveries" USING btree ("partition","lane","state","scheduled_at","cost") WHERE state in ('scheduled', 'ready', 'deferred');--> statement-breakpoint
CREATE INDEX "deliveries_dead" ON "deliveries" USING btree ("partition","finished_at","reason","channel","dismissed_at","unresolved_since","expires_at") WHERE state = 'dead';--> statement-breakpoint
CREATE INDEX "deliveries_finished" ON "deliveries" USING btree ("state","finished_at","channel","lane") WHERE state in ('delivered', 'dead', 'expired');