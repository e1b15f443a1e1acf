ALTER TABLE "partitions" ADD COLUMN "account" text;--> statement-breakpoint
ALTER TABLE "partitions" ADD COLUMN "promoted_flow" text;--> statement-breakpoint
ALTER TABLE "partitions" ADD CONSTRAINT "partitions_account_partitions_key_fk" FOREIGN KEY ("account") REFERENCES "public"."partitions"("key") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_due_by_flow" ON "deliveries" USING btree ("partition","flow","next_eligible_at") WHERE state in ('scheduled', 'deferred');--> statement-breakpoint
ALTER TABLE "partitions" ADD CONSTRAINT "partitions_account_is_another" CHECK ("partitions"."account" <> "partitions"."key");