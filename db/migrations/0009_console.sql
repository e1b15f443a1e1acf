ALTER TABLE "partitions" ADD COLUMN "limits_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "partitions" ADD COLUMN "limits_before" jsonb;--> statement-breakpoint
CREATE INDEX "deliveries_by_creation" ON "deliveries" USING btree ("created_at","id");--> statement-breakpoint
ALTER TABLE "partitions" ADD CONSTRAINT "partitions_limits_for_a_while" CHECK (("partitions"."limits_until" is null) = ("partitions"."limits_before" is null));