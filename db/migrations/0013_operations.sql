CREATE TABLE "claim_refusal_totals" (
	"partition" text NOT NULL,
	"reason" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "claim_refusal_totals_partition_reason_pk" PRIMARY KEY("partition","reason")
);
--> statement-breakpoint
CREATE TABLE "claim_refusals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"partition" text NOT NULL,
	"reason" text NOT NULL,
	"count" integer NOT NULL,
	"refused_at" timestamp with time zone NOT NULL,
	CONSTRAINT "claim_refusals_some" CHECK ("claim_refusals"."count" > 0)
);
--> statement-breakpoint
CREATE TABLE "cleanup_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"mover" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	"outcome" text NOT NULL,
	"why" text,
	"counted" jsonb NOT NULL,
	"removed" integer DEFAULT 0 NOT NULL,
	"batches" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "cleanup_runs_mover_known" CHECK ("cleanup_runs"."mover" in ('cron', 'command')),
	CONSTRAINT "cleanup_runs_outcome_known" CHECK ("cleanup_runs"."outcome" in ('running', 'removed', 'refused')),
	CONSTRAINT "cleanup_runs_finished" CHECK (("cleanup_runs"."outcome" = 'running') = ("cleanup_runs"."finished_at" is null)),
	CONSTRAINT "cleanup_runs_refused_says_why" CHECK ("cleanup_runs"."outcome" <> 'refused' or "cleanup_runs"."why" is not null)
);
--> statement-breakpoint
CREATE TABLE "dead_letter_reports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slot" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"groups" jsonb NOT NULL,
	"total" integer NOT NULL,
	"change" integer NOT NULL,
	"alert" text,
	"notify" text NOT NULL,
	"told_at" timestamp with time zone,
	"told_by" text,
	CONSTRAINT "dead_letter_reports_alert_known" CHECK ("dead_letter_reports"."alert" in ('age', 'growth')),
	CONSTRAINT "dead_letter_reports_notify_known" CHECK ("dead_letter_reports"."notify" in ('no', 'daily', 'alert')),
	CONSTRAINT "dead_letter_reports_told" CHECK (("dead_letter_reports"."told_at" is null) = ("dead_letter_reports"."told_by" is null))
);
--> statement-breakpoint
CREATE TABLE "retention" (
	"state" text PRIMARY KEY NOT NULL,
	"keep_days" integer NOT NULL,
	"slo_owner" text,
	"slo_approved_at" timestamp with time zone,
	"records_owner" text,
	"records_approved_at" timestamp with time zone,
	CONSTRAINT "retention_state_known" CHECK ("retention"."state" in ('delivered', 'dead', 'expired')),
	CONSTRAINT "retention_covers_redrive" CHECK ("retention"."keep_days" between 14 and 3650),
	CONSTRAINT "retention_slo_approval" CHECK (("retention"."slo_owner" is null) = ("retention"."slo_approved_at" is null)),
	CONSTRAINT "retention_records_approval" CHECK (("retention"."records_owner" is null) = ("retention"."records_approved_at" is null)),
	CONSTRAINT "retention_two_people" CHECK ("retention"."slo_owner" <> "retention"."records_owner")
);
--> statement-breakpoint
CREATE TABLE "slos" (
	"channel" text NOT NULL,
	"lane" text NOT NULL,
	"p99_age_ms" integer NOT NULL,
	"p99_due_to_accepted_ms" integer NOT NULL,
	"throttled_share" double precision NOT NULL,
	"dead_per_thousand" double precision NOT NULL,
	"changed_by" text,
	"changed_at" timestamp with time zone,
	CONSTRAINT "slos_channel_lane_pk" PRIMARY KEY("channel","lane"),
	CONSTRAINT "slos_channel_known" CHECK ("slos"."channel" in ('email', 'sms', 'push')),
	CONSTRAINT "slos_lane_known" CHECK ("slos"."lane" in ('urgent', 'standard', 'bulk', 'redrive')),
	CONSTRAINT "slos_times_positive" CHECK ("slos"."p99_age_ms" > 0 and "slos"."p99_due_to_accepted_ms" > 0),
	CONSTRAINT "slos_throttled_share" CHECK ("slos"."throttled_share" between 0 and 1),
	CONSTRAINT "slos_dead_per_thousand" CHECK ("slos"."dead_per_thousand" between 0 and 1000)
);
--> statement-breakpoint
ALTER TABLE "notices" DROP CONSTRAINT "notices_template_known";--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "trace" text;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "cleanup_off_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "cleanup_off_by" text;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "cleanup_off_reason" text;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "uncertain_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "uncertain_why" text;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "calm_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "calm_seen_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "snapshot_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "promoted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "occurrences" ADD COLUMN "trace" text;--> statement-breakpoint
CREATE INDEX "claim_refusals_by_time" ON "claim_refusals" USING btree ("refused_at");--> statement-breakpoint
CREATE INDEX "cleanup_runs_by_start" ON "cleanup_runs" USING btree ("started_at");--> statement-breakpoint
CREATE UNIQUE INDEX "dead_letter_reports_one_per_slot" ON "dead_letter_reports" USING btree ("slot");--> statement-breakpoint
CREATE INDEX "deliveries_finished" ON "deliveries" USING btree ("state","finished_at") WHERE state in ('delivered', 'dead', 'expired');--> statement-breakpoint
CREATE INDEX "deliveries_by_payload" ON "deliveries" USING btree ("payload_id");--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_trace_bounded" CHECK (char_length("deliveries"."trace") <= 55);--> statement-breakpoint
ALTER TABLE "ledger_state" ADD CONSTRAINT "ledger_state_cleanup_off" CHECK (("ledger_state"."cleanup_off_at" is null) = ("ledger_state"."cleanup_off_by" is null)
        and ("ledger_state"."cleanup_off_at" is null) = ("ledger_state"."cleanup_off_reason" is null));--> statement-breakpoint
ALTER TABLE "ledger_state" ADD CONSTRAINT "ledger_state_uncertain" CHECK (("ledger_state"."uncertain_since" is null) = ("ledger_state"."uncertain_why" is null)
        and ("ledger_state"."uncertain_since" is not null or "ledger_state"."calm_since" is null));--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_template_known" CHECK ("notices"."template" in ('sign-in-code', 'phone-code', 'device-test', 'dead-letter-report'));--> statement-breakpoint
ALTER TABLE "occurrences" ADD CONSTRAINT "occurrences_trace_bounded" CHECK (char_length("occurrences"."trace") <= 55);