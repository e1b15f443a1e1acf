ALTER TABLE "occurrences" DROP CONSTRAINT "occurrences_origin_known";--> statement-breakpoint
ALTER TABLE "reminders" DROP CONSTRAINT "reminders_status_known";--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "daily_limit" integer;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "zone_data" text;--> statement-breakpoint
ALTER TABLE "occurrences" ADD COLUMN "answered_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "occurrences" ADD COLUMN "answered_by" text;--> statement-breakpoint
ALTER TABLE "reminders" ADD COLUMN "recurrence" text;--> statement-breakpoint
ALTER TABLE "reminders" ADD COLUMN "series_start" text;--> statement-breakpoint
ALTER TABLE "reminders" ADD COLUMN "series_last" text;--> statement-breakpoint
ALTER TABLE "reminders" ADD COLUMN "floating" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "reminders" ADD COLUMN "through_quiet" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "reminders" ADD COLUMN "step_minutes" integer;--> statement-breakpoint
ALTER TABLE "reminders" ADD COLUMN "check_url" text;--> statement-breakpoint
ALTER TABLE "subscribers" ADD COLUMN "sms_from" text;--> statement-breakpoint
ALTER TABLE "subscribers" ADD COLUMN "sms_until" text;--> statement-breakpoint
ALTER TABLE "subscribers" ADD COLUMN "paused_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "destinations" ADD CONSTRAINT "destinations_daily_limit_bounded" CHECK ("destinations"."daily_limit" between 1 and 100);--> statement-breakpoint
ALTER TABLE "occurrences" ADD CONSTRAINT "occurrences_answered_by_known" CHECK ("occurrences"."answered_by" in ('opened', 'done', 'shop'));--> statement-breakpoint
ALTER TABLE "occurrences" ADD CONSTRAINT "occurrences_answered_both" CHECK (("occurrences"."answered_at" is null) = ("occurrences"."answered_by" is null));--> statement-breakpoint
ALTER TABLE "occurrences" ADD CONSTRAINT "occurrences_origin_known" CHECK ("occurrences"."origin" in ('schedule', 'series', 'edit', 'snooze', 'resume', 'undo'));--> statement-breakpoint
ALTER TABLE "reminders" ADD CONSTRAINT "reminders_recurrence_bounded" CHECK (char_length("reminders"."recurrence") between 9 and 200);--> statement-breakpoint
ALTER TABLE "reminders" ADD CONSTRAINT "reminders_series_whole" CHECK (num_nonnulls("reminders"."recurrence", "reminders"."series_start", "reminders"."series_last") in (0, 3));--> statement-breakpoint
ALTER TABLE "reminders" ADD CONSTRAINT "reminders_step_bounded" CHECK ("reminders"."step_minutes" between 1 and 1440);--> statement-breakpoint
ALTER TABLE "reminders" ADD CONSTRAINT "reminders_check_url_bounded" CHECK (char_length("reminders"."check_url") <= 2000);--> statement-breakpoint
ALTER TABLE "reminders" ADD CONSTRAINT "reminders_status_known" CHECK ("reminders"."status" in ('active', 'paused', 'done', 'cancelled'));--> statement-breakpoint
ALTER TABLE "subscribers" ADD CONSTRAINT "subscribers_sms_hours_both_or_none" CHECK (("subscribers"."sms_from" is null) = ("subscribers"."sms_until" is null)
        and ("subscribers"."sms_from" is null or ("subscribers"."sms_from" ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
        and "subscribers"."sms_until" ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$')));