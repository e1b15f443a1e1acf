CREATE TABLE "shipment_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"shipment_id" uuid NOT NULL,
	"source" text NOT NULL,
	"carrier_event_id" text NOT NULL,
	"status" text NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	"recorded_at" timestamp with time zone NOT NULL,
	"detail" text,
	"location" text,
	"pick_up_code" text,
	"outcome" text NOT NULL,
	"version" integer,
	"cursor" uuid,
	"fanned_out_at" timestamp with time zone,
	CONSTRAINT "shipment_events_source_known" CHECK ("shipment_events"."source" in ('shop', 'aftership')),
	CONSTRAINT "shipment_events_outcome_known" CHECK ("shipment_events"."outcome" in ('announced', 'repeated', 'out_of_order')),
	CONSTRAINT "shipment_events_announced_version" CHECK (("shipment_events"."outcome" = 'announced') = ("shipment_events"."version" is not null)),
	CONSTRAINT "shipment_events_id_bounded" CHECK (char_length("shipment_events"."carrier_event_id") between 1 and 200),
	CONSTRAINT "shipment_events_fanned_out_once_announced" CHECK ("shipment_events"."version" is not null or ("shipment_events"."cursor" is null and "shipment_events"."fanned_out_at" is null))
);
--> statement-breakpoint
CREATE TABLE "shipment_followers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"shipment_id" uuid NOT NULL,
	"subscriber_id" uuid NOT NULL,
	"channels" text[] NOT NULL,
	"milestones" text[] NOT NULL,
	"policy" text NOT NULL,
	"joined_version" integer NOT NULL,
	"left_version" integer,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "shipment_followers_policy_known" CHECK ("shipment_followers"."policy" in ('every', 'latest')),
	CONSTRAINT "shipment_followers_channels_known" CHECK (cardinality("shipment_followers"."channels") between 1 and 3 and "shipment_followers"."channels" <@ array['email', 'sms', 'push']::text[]),
	CONSTRAINT "shipment_followers_versions_in_order" CHECK ("shipment_followers"."joined_version" >= 0 and ("shipment_followers"."left_version" is null or "shipment_followers"."left_version" >= "shipment_followers"."joined_version"))
);
--> statement-breakpoint
CREATE TABLE "shipments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"external_id" text NOT NULL,
	"order_ref" text,
	"carrier" text,
	"tracking_number" text,
	"url" text,
	"status" text NOT NULL,
	"status_at" timestamp with time zone,
	"expected_on" date,
	"version" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "shipments_external_id_bounded" CHECK (char_length("shipments"."external_id") between 1 and 200),
	CONSTRAINT "shipments_version_not_negative" CHECK ("shipments"."version" >= 0),
	CONSTRAINT "shipments_announced_at" CHECK (("shipments"."version" = 0) = ("shipments"."status_at" is null)),
	CONSTRAINT "shipments_status_known" CHECK ("shipments"."status" in ('pending', 'info_received', 'in_transit', 'out_for_delivery', 'failed_attempt', 'exception', 'available_for_pickup', 'delivered', 'returned', 'expired'))
);
--> statement-breakpoint
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_one_source";--> statement-breakpoint
ALTER TABLE "notices" DROP CONSTRAINT "notices_template_known";--> statement-breakpoint
DROP INDEX "payloads_one_per_version";--> statement-breakpoint
ALTER TABLE "notices" ALTER COLUMN "destination_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "shipment_event_id" uuid;--> statement-breakpoint
ALTER TABLE "payloads" ADD COLUMN "variant" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "shipment_events" ADD CONSTRAINT "shipment_events_shipment_id_shipments_id_fk" FOREIGN KEY ("shipment_id") REFERENCES "public"."shipments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shipment_followers" ADD CONSTRAINT "shipment_followers_shipment_id_shipments_id_fk" FOREIGN KEY ("shipment_id") REFERENCES "public"."shipments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shipment_followers" ADD CONSTRAINT "shipment_followers_subscriber_id_subscribers_id_fk" FOREIGN KEY ("subscriber_id") REFERENCES "public"."subscribers"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "shipment_events_carrier_id" ON "shipment_events" USING btree ("source","carrier_event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "shipment_events_version" ON "shipment_events" USING btree ("shipment_id","version") WHERE version is not null;--> statement-breakpoint
CREATE INDEX "shipment_events_history" ON "shipment_events" USING btree ("shipment_id","occurred_at");--> statement-breakpoint
CREATE INDEX "shipment_events_unfinished" ON "shipment_events" USING btree ("recorded_at","id") WHERE version is not null and fanned_out_at is null;--> statement-breakpoint
CREATE INDEX "shipment_events_announced" ON "shipment_events" USING btree ("recorded_at") WHERE version is not null;--> statement-breakpoint
CREATE INDEX "shipment_followers_by_shipment" ON "shipment_followers" USING btree ("shipment_id","subscriber_id");--> statement-breakpoint
CREATE UNIQUE INDEX "shipment_followers_one_present" ON "shipment_followers" USING btree ("shipment_id","subscriber_id") WHERE left_version is null;--> statement-breakpoint
CREATE INDEX "shipment_followers_by_subscriber" ON "shipment_followers" USING btree ("subscriber_id");--> statement-breakpoint
CREATE UNIQUE INDEX "shipments_external_id" ON "shipments" USING btree ("external_id");--> statement-breakpoint
CREATE INDEX "shipments_by_order" ON "shipments" USING btree ("order_ref") WHERE order_ref is not null;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_shipment_event_id_shipment_events_id_fk" FOREIGN KEY ("shipment_event_id") REFERENCES "public"."shipment_events"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_by_shipment_event" ON "deliveries" USING btree ("shipment_event_id") WHERE shipment_event_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "payloads_one_per_version" ON "payloads" USING btree ("source_id","channel","version","variant");--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_one_source" CHECK (num_nonnulls("deliveries"."occurrence_id", "deliveries"."notice_id", "deliveries"."shipment_event_id") = 1);--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_code_names_its_address" CHECK ("notices"."template" not in ('sign-in-code', 'phone-code', 'device-test', 'dead-letter-report') or "notices"."destination_id" is not null);--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_template_known" CHECK ("notices"."template" in ('sign-in-code', 'phone-code', 'device-test', 'dead-letter-report', 'password-reset', 'fraud-alert', 'account-security'));