CREATE TABLE "inbound_texts" (
	"message_id" text PRIMARY KEY NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	CONSTRAINT "inbound_texts_message_id_bounded" CHECK (char_length("inbound_texts"."message_id") between 1 and 64)
);
