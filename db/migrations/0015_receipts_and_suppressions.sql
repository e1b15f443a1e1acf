CREATE TABLE "receipts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"report_id" text NOT NULL,
	"delivery_id" uuid,
	"meaning" text NOT NULL,
	"provider_message_id" text,
	"code" text,
	"reported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "receipts_provider_known" CHECK ("receipts"."provider" in ('resend', 'twilio')),
	CONSTRAINT "receipts_meaning_known" CHECK ("receipts"."meaning" in ('not_found', 'accepted', 'delayed', 'arrived', 'not_arrived', 'complained')),
	CONSTRAINT "receipts_report_id_bounded" CHECK (char_length("receipts"."report_id") between 1 and 200),
	CONSTRAINT "receipts_message_id_bounded" CHECK (char_length("receipts"."provider_message_id") <= 200),
	CONSTRAINT "receipts_code_bounded" CHECK (char_length("receipts"."code") <= 100)
);
--> statement-breakpoint
CREATE TABLE "suppressions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel" text NOT NULL,
	"address_hash" text NOT NULL,
	"scope" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"lifted_at" timestamp with time zone,
	"lifted_by" text,
	CONSTRAINT "suppressions_channel_known" CHECK ("suppressions"."channel" in ('email', 'sms')),
	CONSTRAINT "suppressions_reason_known" CHECK ("suppressions"."reason" in ('opted_out', 'bounced', 'complained', 'unreachable', 'operator')),
	CONSTRAINT "suppressions_hash_is_hex" CHECK ("suppressions"."address_hash" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "suppressions_lifted_by_somebody" CHECK (("suppressions"."lifted_at" is null) = ("suppressions"."lifted_by" is null))
);
--> statement-breakpoint
ALTER TABLE "receipts" ADD CONSTRAINT "receipts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "receipts_once" ON "receipts" USING btree ("provider","report_id");--> statement-breakpoint
CREATE INDEX "receipts_by_delivery" ON "receipts" USING btree ("delivery_id");--> statement-breakpoint
CREATE INDEX "receipts_reported" ON "receipts" USING btree ("reported_at");--> statement-breakpoint
CREATE UNIQUE INDEX "suppressions_one_standing" ON "suppressions" USING btree ("channel","address_hash","scope") WHERE lifted_at is null;