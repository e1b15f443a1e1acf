ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_reason_known";--> statement-breakpoint
ALTER TABLE "lanes" ADD COLUMN "degradation" text;--> statement-breakpoint
ALTER TABLE "lanes" ADD COLUMN "degradation_window_seconds" integer;--> statement-breakpoint
ALTER TABLE "lanes" ADD COLUMN "degradation_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_reason_known" CHECK ("deliveries"."reason" is null
        or ("deliveries"."state" = 'dead' and "deliveries"."reason" in ('attempts_exhausted', 'message_rejected', 'destination_rejected', 'outcome_unknown'))
        or ("deliveries"."state" = 'expired' and "deliveries"."reason" in ('past_deadline', 'cancelled', 'superseded', 'answered', 'opted_out', 'no_destination', 'preference', 'consent', 'milestone_not_chosen', 'capped', 'shed', 'moved')));--> statement-breakpoint
ALTER TABLE "lanes" ADD CONSTRAINT "lanes_degradation_known" CHECK ("lanes"."degradation" is null or ("lanes"."degradation" in ('expire_oldest', 'coalesce', 'other_channel') and "lanes"."lane" in ('standard', 'bulk')));--> statement-breakpoint
ALTER TABLE "lanes" ADD CONSTRAINT "lanes_degradation_window" CHECK (("lanes"."degradation" is null) = ("lanes"."degradation_window_seconds" is null) and "lanes"."degradation_window_seconds" between 60 and 604800);--> statement-breakpoint
ALTER TABLE "lanes" ADD CONSTRAINT "lanes_degradation_written" CHECK ("lanes"."degradation_until" is null or "lanes"."degradation" is not null);