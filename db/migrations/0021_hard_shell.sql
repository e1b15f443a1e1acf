CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"taken_until" timestamp with time zone NOT NULL,
	CONSTRAINT "rate_limits_key_bounded" CHECK (char_length("rate_limits"."key") between 3 and 100)
);
--> statement-breakpoint
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_reason_known";--> statement-breakpoint
ALTER TABLE "retention" DROP CONSTRAINT "retention_state_known";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "scopes" text[] DEFAULT array['subscribers', 'reminders', 'shipments', 'notices', 'privacy']::text[] NOT NULL;--> statement-breakpoint
ALTER TABLE "subscribers" ADD COLUMN "erased_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "rate_limits_by_time" ON "rate_limits" USING btree ("taken_until");--> statement-breakpoint
CREATE INDEX "payloads_with_content" ON "payloads" USING btree ("created_at") WHERE content is not null;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_scopes_known" CHECK (cardinality("api_keys"."scopes") between 1 and 5
        and "api_keys"."scopes" <@ array['subscribers', 'reminders', 'shipments', 'notices', 'privacy']::text[]);--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_reason_known" CHECK ("deliveries"."reason" is null
        or ("deliveries"."state" = 'dead' and "deliveries"."reason" in ('attempts_exhausted', 'message_rejected', 'destination_rejected', 'outcome_unknown'))
        or ("deliveries"."state" = 'expired' and "deliveries"."reason" in ('past_deadline', 'cancelled', 'superseded', 'answered', 'opted_out', 'no_destination', 'preference', 'consent', 'milestone_not_chosen', 'capped', 'shed', 'moved', 'erased')));--> statement-breakpoint
ALTER TABLE "retention" ADD CONSTRAINT "retention_state_known" CHECK ("retention"."state" in ('delivered', 'dead', 'expired', 'content'));--> statement-breakpoint
ALTER TABLE "subscribers" ADD CONSTRAINT "subscribers_erased_names_nobody" CHECK ("subscribers"."erased_at" is null or ("subscribers"."external_id" is null and "subscribers"."user_id" is null));