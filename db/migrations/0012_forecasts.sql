CREATE TABLE "forecasts" (
	"delivery_id" uuid PRIMARY KEY NOT NULL,
	"made_at" timestamp with time zone NOT NULL,
	"earliest_at" timestamp with time zone NOT NULL,
	"expected_at" timestamp with time zone NOT NULL,
	"latest_at" timestamp with time zone NOT NULL,
	"accepted_at" timestamp with time zone,
	CONSTRAINT "forecasts_range_holds" CHECK ("forecasts"."earliest_at" <= "forecasts"."expected_at" and "forecasts"."expected_at" <= "forecasts"."latest_at")
);
--> statement-breakpoint
ALTER TABLE "forecasts" ADD CONSTRAINT "forecasts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "forecasts_accepted" ON "forecasts" USING btree ("accepted_at") WHERE accepted_at is not null;