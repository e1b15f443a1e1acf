CREATE TABLE "dead_letter_runs" (
	"burial_id" uuid NOT NULL,
	"run_id" text NOT NULL,
	"delivery_id" uuid NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"verdict" text NOT NULL,
	"why" text,
	"redrive_id" uuid,
	CONSTRAINT "dead_letter_runs_burial_id_run_id_pk" PRIMARY KEY("burial_id","run_id"),
	CONSTRAINT "dead_letter_runs_verdict_known" CHECK ("dead_letter_runs"."verdict" in ('first', 'repeat', 'redriven', 'refused')),
	CONSTRAINT "dead_letter_runs_redriven" CHECK (("dead_letter_runs"."verdict" = 'redriven') = ("dead_letter_runs"."redrive_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "redrive_members" (
	"redrive_id" uuid NOT NULL,
	"delivery_id" uuid NOT NULL,
	"burial_id" uuid NOT NULL,
	"partition" text NOT NULL,
	"position" integer NOT NULL,
	"reason" text NOT NULL,
	"verdict" text NOT NULL,
	"state" text NOT NULL,
	"outcome" text,
	"active" boolean NOT NULL,
	"released_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "redrive_members_redrive_id_delivery_id_pk" PRIMARY KEY("redrive_id","delivery_id"),
	CONSTRAINT "redrive_members_state_known" CHECK ("redrive_members"."state" in ('left_out', 'pending', 'released', 'skipped', 'delivered', 'dead', 'expired')),
	CONSTRAINT "redrive_members_released_at" CHECK ("redrive_members"."state" not in ('released', 'delivered', 'dead', 'expired') or "redrive_members"."released_at" is not null),
	CONSTRAINT "redrive_members_active" CHECK (not "redrive_members"."active" or "redrive_members"."state" in ('pending', 'released'))
);
--> statement-breakpoint
CREATE TABLE "redrive_partitions" (
	"redrive_id" uuid NOT NULL,
	"partition" text NOT NULL,
	"released" integer NOT NULL,
	"canary_from" integer NOT NULL,
	"paced_since" timestamp with time zone,
	"next_at" timestamp with time zone NOT NULL,
	"pace" double precision NOT NULL,
	"limited_by" text,
	CONSTRAINT "redrive_partitions_redrive_id_partition_pk" PRIMARY KEY("redrive_id","partition"),
	CONSTRAINT "redrive_partitions_counts" CHECK ("redrive_partitions"."released" >= "redrive_partitions"."canary_from" and "redrive_partitions"."canary_from" >= 0),
	CONSTRAINT "redrive_partitions_pace" CHECK ("redrive_partitions"."pace" >= 0)
);
--> statement-breakpoint
CREATE TABLE "redrives" (
	"id" uuid PRIMARY KEY NOT NULL,
	"origin" text NOT NULL,
	"state" text NOT NULL,
	"filter" jsonb NOT NULL,
	"includes_ambiguous" boolean NOT NULL,
	"asked_per_second" double precision,
	"members" integer NOT NULL,
	"would_send" integer NOT NULL,
	"preview" jsonb NOT NULL,
	"previewed_by" text NOT NULL,
	"operator" text,
	"reason" text,
	"created_at" timestamp with time zone NOT NULL,
	"started_at" timestamp with time zone,
	"resumed_at" timestamp with time zone,
	"paused_at" timestamp with time zone,
	"pause_kind" text,
	"pause_reason" text,
	"ended_at" timestamp with time zone,
	"result" jsonb,
	"driver_generation" integer DEFAULT 0 NOT NULL,
	"driver_until" timestamp with time zone,
	CONSTRAINT "redrives_origin_known" CHECK ("redrives"."origin" in ('operator', 'rerun', 'resolution')),
	CONSTRAINT "redrives_state_known" CHECK ("redrives"."state" in ('previewed', 'running', 'paused', 'stopped', 'finished')),
	CONSTRAINT "redrives_started_by_someone" CHECK (("redrives"."started_at" is null) = ("redrives"."state" = 'previewed')
        and ("redrives"."started_at" is null or ("redrives"."operator" is not null and "redrives"."resumed_at" is not null
          and char_length(trim("redrives"."reason")) between 1 and 1000))),
	CONSTRAINT "redrives_rate_positive" CHECK ("redrives"."asked_per_second" is null or "redrives"."asked_per_second" > 0),
	CONSTRAINT "redrives_paused_for_something" CHECK (("redrives"."state" = 'paused') = ("redrives"."paused_at" is not null)
        and ("redrives"."paused_at" is null) = ("redrives"."pause_kind" is null)
        and ("redrives"."paused_at" is null) = ("redrives"."pause_reason" is null)),
	CONSTRAINT "redrives_ended" CHECK (("redrives"."state" in ('stopped', 'finished')) = ("redrives"."ended_at" is not null)),
	CONSTRAINT "redrives_counts" CHECK ("redrives"."members" >= "redrives"."would_send" and "redrives"."would_send" >= 0)
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "failure_budget" integer DEFAULT 5 NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "acknowledged" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "resolution_id" uuid;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "dismissed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "dead_letter_runs" ADD CONSTRAINT "dead_letter_runs_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redrive_members" ADD CONSTRAINT "redrive_members_redrive_id_redrives_id_fk" FOREIGN KEY ("redrive_id") REFERENCES "public"."redrives"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redrive_members" ADD CONSTRAINT "redrive_members_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redrive_members" ADD CONSTRAINT "redrive_members_partition_partitions_key_fk" FOREIGN KEY ("partition") REFERENCES "public"."partitions"("key") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redrive_partitions" ADD CONSTRAINT "redrive_partitions_redrive_id_redrives_id_fk" FOREIGN KEY ("redrive_id") REFERENCES "public"."redrives"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redrive_partitions" ADD CONSTRAINT "redrive_partitions_partition_partitions_key_fk" FOREIGN KEY ("partition") REFERENCES "public"."partitions"("key") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "redrive_members_one_active" ON "redrive_members" USING btree ("burial_id") WHERE active;--> statement-breakpoint
CREATE INDEX "redrive_members_by_delivery" ON "redrive_members" USING btree ("delivery_id");--> statement-breakpoint
CREATE INDEX "redrive_members_in_order" ON "redrive_members" USING btree ("redrive_id","position");--> statement-breakpoint
CREATE INDEX "redrive_members_next" ON "redrive_members" USING btree ("redrive_id","partition","position") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "redrive_members_out" ON "redrive_members" USING btree ("redrive_id","partition") WHERE state = 'released';--> statement-breakpoint
CREATE INDEX "redrives_by_time" ON "redrives" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "redrives_one_of_reruns" ON "redrives" USING btree ("origin") WHERE origin = 'rerun' and state in ('running', 'paused');--> statement-breakpoint
CREATE INDEX "redrives_unfinished" ON "redrives" USING btree ("state") WHERE state in ('running', 'paused');--> statement-breakpoint
CREATE INDEX "deliveries_dead_by_time" ON "deliveries" USING btree ("finished_at","id") WHERE state = 'dead';--> statement-breakpoint
ALTER TABLE "deliveries" DROP COLUMN "burial_run_id";--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_budget_positive" CHECK ("deliveries"."failure_budget" >= 1);