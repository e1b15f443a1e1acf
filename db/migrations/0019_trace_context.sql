ALTER TABLE "outbox" ADD COLUMN "trace" text;--> statement-breakpoint
ALTER TABLE "shipment_events" ADD COLUMN "trace" text;--> statement-breakpoint
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_trace_bounded" CHECK (char_length("outbox"."trace") <= 55);--> statement-breakpoint
ALTER TABLE "shipment_events" ADD CONSTRAINT "shipment_events_trace_bounded" CHECK (char_length("shipment_events"."trace") <= 55);