CREATE TABLE "operator_notices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"partition" text NOT NULL,
	"kind" text NOT NULL,
	"detail" text NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	"told_at" timestamp with time zone,
	"closed_at" timestamp with time zone,
	CONSTRAINT "operator_notices_kind_known" CHECK ("operator_notices"."kind" in ('quota', 'config_rejected'))
);
--> statement-breakpoint
ALTER TABLE "meters" ADD COLUMN "calm_call_ms" double precision;--> statement-breakpoint
ALTER TABLE "partitions" ADD COLUMN "headroom" double precision DEFAULT 0.1 NOT NULL;--> statement-breakpoint
ALTER TABLE "operator_notices" ADD CONSTRAINT "operator_notices_partition_partitions_key_fk" FOREIGN KEY ("partition") REFERENCES "public"."partitions"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "operator_notices_one_open" ON "operator_notices" USING btree ("partition","kind") WHERE closed_at is null;--> statement-breakpoint
CREATE INDEX "operator_notices_untold" ON "operator_notices" USING btree ("opened_at") WHERE told_at is null;--> statement-breakpoint
ALTER TABLE "partitions" ADD CONSTRAINT "partitions_headroom_bounded" CHECK ("partitions"."headroom" >= 0 and "partitions"."headroom" <= 0.9);