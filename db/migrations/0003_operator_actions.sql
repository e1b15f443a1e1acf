CREATE TABLE "operator_actions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator" text NOT NULL,
	"action" text NOT NULL,
	"target" text NOT NULL,
	"reason" text NOT NULL,
	"details" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "operator_actions_say_why" CHECK (char_length(trim("operator_actions"."reason")) between 1 and 1000)
);
--> statement-breakpoint
CREATE INDEX "operator_actions_by_time" ON "operator_actions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "operator_actions_by_target" ON "operator_actions" USING btree ("target","created_at");