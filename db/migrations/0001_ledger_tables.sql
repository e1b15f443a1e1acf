CREATE TABLE "auth_accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp with time zone,
	"refresh_token_expires_at" timestamp with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"delivery_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"token" integer NOT NULL,
	"run_id" text NOT NULL,
	"epoch" bigint NOT NULL,
	"slot_at" timestamp with time zone NOT NULL,
	"begun_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone,
	"class" text,
	"status" integer,
	"code" text,
	"retry_after" text,
	"provider_message_id" text,
	"detail" text,
	"call_ms" integer,
	CONSTRAINT "attempts_class_known" CHECK ("attempts"."class" in ('accepted', 'throttled', 'quota', 'transient', 'ambiguous', 'destination_rejected', 'message_rejected', 'config_rejected', 'not_made', 'crashed')),
	CONSTRAINT "attempts_settled_has_class" CHECK (("attempts"."settled_at" is null) = ("attempts"."class" is null)),
	CONSTRAINT "attempts_detail_bounded" CHECK (char_length("attempts"."detail") <= 400),
	CONSTRAINT "attempts_retry_after_bounded" CHECK (char_length("attempts"."retry_after") <= 200)
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"reference" text NOT NULL,
	"occurrence_id" uuid,
	"notice_id" uuid,
	"subscriber_id" uuid NOT NULL,
	"channel" text NOT NULL,
	"destination_id" uuid,
	"partition" text,
	"lane" text NOT NULL,
	"flow" text NOT NULL,
	"pass" double precision,
	"cost" integer NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"last_class" text,
	"scheduled_at" timestamp with time zone NOT NULL,
	"next_eligible_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"first_attempt_at" timestamp with time zone,
	"latest_attempt_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"admission_id" uuid,
	"admitted_until" timestamp with time zone,
	"admitted_at" timestamp with time zone,
	"kept_by" text,
	"kept_until" timestamp with time zone,
	"lease_until" timestamp with time zone,
	"token" integer DEFAULT 0 NOT NULL,
	"attempt_count" integer DEFAULT 0 NOT NULL,
	"failure_count" integer DEFAULT 0 NOT NULL,
	"throttle_count" integer DEFAULT 0 NOT NULL,
	"alone" boolean DEFAULT false NOT NULL,
	"payload_id" uuid,
	"version" integer NOT NULL,
	"content_hash" text,
	"provider_message_id" text,
	"unresolved_since" timestamp with time zone,
	"wish" text,
	"owner" integer NOT NULL,
	"reconcile_at" timestamp with time zone,
	"redrive_id" uuid,
	"burial_id" uuid,
	"burial_run_id" text,
	CONSTRAINT "deliveries_state_known" CHECK ("deliveries"."state" in ('scheduled', 'ready', 'sending', 'deferred', 'delivered', 'dead', 'expired')),
	CONSTRAINT "deliveries_channel_known" CHECK ("deliveries"."channel" in ('email', 'sms', 'push')),
	CONSTRAINT "deliveries_lane_known" CHECK ("deliveries"."lane" in ('urgent', 'standard', 'bulk', 'redrive')),
	CONSTRAINT "deliveries_one_source" CHECK (num_nonnulls("deliveries"."occurrence_id", "deliveries"."notice_id") = 1),
	CONSTRAINT "deliveries_key_bounded" CHECK (char_length("deliveries"."key") between 10 and 250),
	CONSTRAINT "deliveries_cost_positive" CHECK ("deliveries"."cost" >= 1),
	CONSTRAINT "deliveries_lease_while_sending" CHECK (("deliveries"."state" = 'sending') = ("deliveries"."lease_until" is not null)),
	CONSTRAINT "deliveries_finished_when_terminal" CHECK (("deliveries"."state" in ('delivered', 'dead', 'expired')) = ("deliveries"."finished_at" is not null)),
	CONSTRAINT "deliveries_reason_when_ended" CHECK (("deliveries"."state" in ('dead', 'expired')) = ("deliveries"."reason" is not null)),
	CONSTRAINT "deliveries_reason_known" CHECK ("deliveries"."reason" is null
        or ("deliveries"."state" = 'dead' and "deliveries"."reason" in ('attempts_exhausted', 'message_rejected', 'destination_rejected', 'outcome_unknown'))
        or ("deliveries"."state" = 'expired' and "deliveries"."reason" in ('past_deadline', 'cancelled', 'superseded', 'answered', 'opted_out', 'no_destination', 'preference', 'consent', 'milestone_not_chosen', 'capped'))),
	CONSTRAINT "deliveries_time_while_waiting" CHECK ("deliveries"."state" not in ('scheduled', 'deferred') or "deliveries"."next_eligible_at" is not null),
	CONSTRAINT "deliveries_class_while_deferred" CHECK ("deliveries"."state" <> 'deferred' or "deliveries"."last_class" is not null),
	CONSTRAINT "deliveries_pass_while_ready" CHECK ("deliveries"."state" <> 'ready' or "deliveries"."pass" is not null),
	CONSTRAINT "deliveries_destination_unless_expired" CHECK ("deliveries"."state" = 'expired' or ("deliveries"."destination_id" is not null and "deliveries"."partition" is not null and "deliveries"."payload_id" is not null)),
	CONSTRAINT "deliveries_resolved_when_delivered" CHECK ("deliveries"."state" <> 'delivered' or "deliveries"."unresolved_since" is null),
	CONSTRAINT "deliveries_unknown_is_unresolved" CHECK ("deliveries"."reason" <> 'outcome_unknown' or "deliveries"."unresolved_since" is not null),
	CONSTRAINT "deliveries_expired_is_resolved" CHECK ("deliveries"."state" <> 'expired' or "deliveries"."unresolved_since" is null),
	CONSTRAINT "deliveries_admission_has_end" CHECK (("deliveries"."admission_id" is null) = ("deliveries"."admitted_until" is null)),
	CONSTRAINT "deliveries_kept_has_end" CHECK (("deliveries"."kept_by" is null) = ("deliveries"."kept_until" is null)),
	CONSTRAINT "deliveries_counts" CHECK ("deliveries"."attempt_count" >= 0 and "deliveries"."failure_count" >= 0 and "deliveries"."throttle_count" >= 0
        and ("deliveries"."attempt_count" = 0) = ("deliveries"."first_attempt_at" is null)),
	CONSTRAINT "deliveries_burial" CHECK ("deliveries"."state" <> 'dead' or "deliveries"."burial_id" is not null)
);
--> statement-breakpoint
CREATE TABLE "destinations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subscriber_id" uuid NOT NULL,
	"channel" text NOT NULL,
	"address" text NOT NULL,
	"p256dh" text,
	"auth" text,
	"label" text,
	"state" text NOT NULL,
	"state_reason" text,
	"verified_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "destinations_channel_known" CHECK ("destinations"."channel" in ('email', 'sms', 'push')),
	CONSTRAINT "destinations_state_known" CHECK ("destinations"."state" in ('active', 'suppressed', 'retired')),
	CONSTRAINT "destinations_address_bounded" CHECK (char_length("destinations"."address") between 3 and 2000),
	CONSTRAINT "destinations_push_has_keys" CHECK (("destinations"."channel" = 'push') = ("destinations"."p256dh" is not null and "destinations"."auth" is not null)),
	CONSTRAINT "destinations_label_bounded" CHECK (char_length("destinations"."label") <= 80)
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"scope" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"status" integer NOT NULL,
	"response" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_scope_key_pk" PRIMARY KEY("scope","key"),
	CONSTRAINT "idempotency_keys_bounded" CHECK (char_length("idempotency_keys"."key") between 1 and 255)
);
--> statement-breakpoint
CREATE TABLE "lanes" (
	"partition" text NOT NULL,
	"lane" text NOT NULL,
	"weight" double precision NOT NULL,
	"virtual_time" double precision NOT NULL,
	"pass_floor" double precision NOT NULL,
	CONSTRAINT "lanes_partition_lane_pk" PRIMARY KEY("partition","lane"),
	CONSTRAINT "lanes_lane_known" CHECK ("lanes"."lane" in ('urgent', 'standard', 'bulk', 'redrive')),
	CONSTRAINT "lanes_weight_positive" CHECK ("lanes"."weight" > 0)
);
--> statement-breakpoint
CREATE TABLE "ledger_state" (
	"singleton" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"generation" text NOT NULL,
	"mode" text NOT NULL,
	"installation" text,
	CONSTRAINT "ledger_state_one_row" CHECK ("ledger_state"."singleton" = 1),
	CONSTRAINT "ledger_state_mode_known" CHECK ("ledger_state"."mode" in ('sending', 'held'))
);
--> statement-breakpoint
CREATE TABLE "meters" (
	"key" text PRIMARY KEY NOT NULL,
	"rate" double precision NOT NULL,
	"ready_at" timestamp with time zone NOT NULL,
	"blocked_until" timestamp with time zone NOT NULL,
	"epoch" bigint NOT NULL,
	"last_cut_at" timestamp with time zone,
	"observed_ceiling" double precision,
	"call_ms" double precision NOT NULL,
	"urgent_ready_at" timestamp with time zone NOT NULL,
	"last_feedback_at" timestamp with time zone,
	CONSTRAINT "meters_rate_positive" CHECK ("meters"."rate" > 0)
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subscriber_id" uuid NOT NULL,
	"destination_id" uuid NOT NULL,
	"template" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "notices_template_known" CHECK ("notices"."template" in ('sign-in-code', 'phone-code'))
);
--> statement-breakpoint
CREATE TABLE "occurrences" (
	"id" uuid PRIMARY KEY NOT NULL,
	"reminder_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"origin" text NOT NULL,
	"wall_time" text NOT NULL,
	"time_zone" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"channels" text[] NOT NULL,
	"version" integer NOT NULL,
	"state" text NOT NULL,
	"opened_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "occurrences_state_known" CHECK ("occurrences"."state" in ('waiting', 'opened', 'missed', 'cancelled')),
	CONSTRAINT "occurrences_origin_known" CHECK ("occurrences"."origin" in ('schedule', 'edit', 'snooze')),
	CONSTRAINT "occurrences_opened_at" CHECK (("occurrences"."state" = 'opened') = ("occurrences"."opened_at" is not null)),
	CONSTRAINT "occurrences_channels_some" CHECK (cardinality("occurrences"."channels") between 1 and 3)
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" uuid PRIMARY KEY NOT NULL,
	"event_name" text NOT NULL,
	"event_id" text NOT NULL,
	"data" jsonb NOT NULL,
	"not_before" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"published_at" timestamp with time zone,
	"claimed_until" timestamp with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "outbox_event_id_bounded" CHECK (char_length("outbox"."event_id") between 1 and 200)
);
--> statement-breakpoint
CREATE TABLE "partitions" (
	"key" text PRIMARY KEY NOT NULL,
	"channel" text NOT NULL,
	"provider" text NOT NULL,
	"ceiling" double precision NOT NULL,
	"burst" double precision NOT NULL,
	"concurrency" integer NOT NULL,
	"owner" integer NOT NULL,
	"paused_by" text,
	"paused_reason" text,
	"paused_at" timestamp with time zone,
	"paused_until" timestamp with time zone,
	"circuit" text NOT NULL,
	"circuit_reason" text,
	"circuit_probe_at" timestamp with time zone,
	"lane_clock" double precision NOT NULL,
	"parked_until" timestamp with time zone,
	"pump_generation" bigint NOT NULL,
	"pump_until" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "partitions_channel_known" CHECK ("partitions"."channel" in ('email', 'sms', 'push')),
	CONSTRAINT "partitions_ceiling_not_negative" CHECK ("partitions"."ceiling" >= 0),
	CONSTRAINT "partitions_burst_positive" CHECK ("partitions"."burst" >= 1),
	CONSTRAINT "partitions_concurrency_positive" CHECK ("partitions"."concurrency" >= 1),
	CONSTRAINT "partitions_circuit_known" CHECK ("partitions"."circuit" in ('closed', 'open', 'half_open')),
	CONSTRAINT "partitions_paused_by_someone" CHECK (("partitions"."paused_at" is null) = ("partitions"."paused_by" is null)),
	CONSTRAINT "partitions_circuit_probe" CHECK ("partitions"."circuit" = 'closed' or "partitions"."circuit_probe_at" is not null)
);
--> statement-breakpoint
CREATE TABLE "payloads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source_id" uuid NOT NULL,
	"channel" text NOT NULL,
	"version" integer NOT NULL,
	"content" jsonb,
	"cost" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"wiped_at" timestamp with time zone,
	CONSTRAINT "payloads_channel_known" CHECK ("payloads"."channel" in ('email', 'sms', 'push')),
	CONSTRAINT "payloads_cost_bounded" CHECK ("payloads"."cost" between 1 and 11),
	CONSTRAINT "payloads_wiped" CHECK (("payloads"."content" is null) = ("payloads"."wiped_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "preferences" (
	"subscriber_id" uuid NOT NULL,
	"topic" text NOT NULL,
	"channel" text NOT NULL,
	"enabled" boolean NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "preferences_subscriber_id_topic_channel_pk" PRIMARY KEY("subscriber_id","topic","channel"),
	CONSTRAINT "preferences_topic_known" CHECK ("preferences"."topic" in ('reminders', 'shipments')),
	CONSTRAINT "preferences_channel_known" CHECK ("preferences"."channel" in ('email', 'sms', 'push'))
);
--> statement-breakpoint
CREATE TABLE "reminders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subscriber_id" uuid NOT NULL,
	"title" text NOT NULL,
	"note" text,
	"url" text,
	"wall_time" text NOT NULL,
	"time_zone" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"channels" text[] NOT NULL,
	"expires_after_seconds" integer NOT NULL,
	"version" integer NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"cancelled_at" timestamp with time zone,
	CONSTRAINT "reminders_title_bounded" CHECK (char_length("reminders"."title") between 1 and 400),
	CONSTRAINT "reminders_note_bounded" CHECK (char_length("reminders"."note") <= 4000),
	CONSTRAINT "reminders_url_bounded" CHECK (char_length("reminders"."url") <= 2000),
	CONSTRAINT "reminders_channels_known" CHECK (cardinality("reminders"."channels") between 1 and 3 and "reminders"."channels" <@ array['email', 'sms', 'push']::text[]),
	CONSTRAINT "reminders_usefulness_bounded" CHECK ("reminders"."expires_after_seconds" between 60 and 604800),
	CONSTRAINT "reminders_version_positive" CHECK ("reminders"."version" >= 1),
	CONSTRAINT "reminders_status_known" CHECK ("reminders"."status" in ('active', 'cancelled')),
	CONSTRAINT "reminders_cancelled_at" CHECK (("reminders"."status" = 'cancelled') = ("reminders"."cancelled_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "auth_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "auth_sessions_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "subscribers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"external_id" text,
	"user_id" text,
	"time_zone" text NOT NULL,
	"locale" text NOT NULL,
	"quiet_from" text,
	"quiet_until" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "subscribers_external_id_bounded" CHECK (char_length("subscribers"."external_id") between 1 and 200),
	CONSTRAINT "subscribers_quiet_hours_both_or_none" CHECK (("subscribers"."quiet_from" is null) = ("subscribers"."quiet_until" is null)
        and ("subscribers"."quiet_from" is null or ("subscribers"."quiet_from" ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
        and "subscribers"."quiet_until" ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$')))
);
--> statement-breakpoint
CREATE TABLE "sweeps" (
	"id" uuid PRIMARY KEY NOT NULL,
	"mover" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	"counts" jsonb,
	CONSTRAINT "sweeps_mover_known" CHECK ("sweeps"."mover" in ('cron', 'start', 'health', 'sync', 'command'))
);
--> statement-breakpoint
CREATE TABLE "auth_users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"role" text DEFAULT 'shopper' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "auth_users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "auth_verifications" (
	"id" text PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "auth_accounts" ADD CONSTRAINT "auth_accounts_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_occurrence_id_occurrences_id_fk" FOREIGN KEY ("occurrence_id") REFERENCES "public"."occurrences"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_notice_id_notices_id_fk" FOREIGN KEY ("notice_id") REFERENCES "public"."notices"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_subscriber_id_subscribers_id_fk" FOREIGN KEY ("subscriber_id") REFERENCES "public"."subscribers"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_destination_id_destinations_id_fk" FOREIGN KEY ("destination_id") REFERENCES "public"."destinations"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_partition_partitions_key_fk" FOREIGN KEY ("partition") REFERENCES "public"."partitions"("key") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_payload_id_payloads_id_fk" FOREIGN KEY ("payload_id") REFERENCES "public"."payloads"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "destinations" ADD CONSTRAINT "destinations_subscriber_id_subscribers_id_fk" FOREIGN KEY ("subscriber_id") REFERENCES "public"."subscribers"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lanes" ADD CONSTRAINT "lanes_partition_partitions_key_fk" FOREIGN KEY ("partition") REFERENCES "public"."partitions"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_subscriber_id_subscribers_id_fk" FOREIGN KEY ("subscriber_id") REFERENCES "public"."subscribers"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_destination_id_destinations_id_fk" FOREIGN KEY ("destination_id") REFERENCES "public"."destinations"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "occurrences" ADD CONSTRAINT "occurrences_reminder_id_reminders_id_fk" FOREIGN KEY ("reminder_id") REFERENCES "public"."reminders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preferences" ADD CONSTRAINT "preferences_subscriber_id_subscribers_id_fk" FOREIGN KEY ("subscriber_id") REFERENCES "public"."subscribers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reminders" ADD CONSTRAINT "reminders_subscriber_id_subscribers_id_fk" FOREIGN KEY ("subscriber_id") REFERENCES "public"."subscribers"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_sessions" ADD CONSTRAINT "auth_sessions_user_id_auth_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "auth_accounts_by_user" ON "auth_accounts" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE UNIQUE INDEX "attempts_number" ON "attempts" USING btree ("delivery_id","number");--> statement-breakpoint
CREATE INDEX "attempts_begun" ON "attempts" USING btree ("begun_at");--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_key" ON "deliveries" USING btree ("key");--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_reference" ON "deliveries" USING btree ("reference");--> statement-breakpoint
CREATE INDEX "deliveries_by_occurrence" ON "deliveries" USING btree ("occurrence_id");--> statement-breakpoint
CREATE INDEX "deliveries_by_notice" ON "deliveries" USING btree ("notice_id") WHERE notice_id is not null;--> statement-breakpoint
CREATE INDEX "deliveries_live_by_subscriber" ON "deliveries" USING btree ("subscriber_id","channel") WHERE state in ('scheduled', 'ready', 'sending', 'deferred');--> statement-breakpoint
CREATE INDEX "deliveries_ready" ON "deliveries" USING btree ("partition","lane","pass","id") WHERE state = 'ready';--> statement-breakpoint
CREATE INDEX "deliveries_ready_by_flow" ON "deliveries" USING btree ("partition","lane","flow","pass") WHERE state = 'ready';--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("partition","next_eligible_at") WHERE state in ('scheduled', 'deferred');--> statement-breakpoint
CREATE INDEX "deliveries_admitted" ON "deliveries" USING btree ("partition","admitted_until") WHERE admission_id is not null;--> statement-breakpoint
CREATE INDEX "deliveries_leased" ON "deliveries" USING btree ("partition","lease_until") WHERE state = 'sending';--> statement-breakpoint
CREATE INDEX "deliveries_expiring" ON "deliveries" USING btree ("partition","expires_at") WHERE state in ('scheduled', 'ready', 'deferred');--> statement-breakpoint
CREATE INDEX "deliveries_dead" ON "deliveries" USING btree ("partition","finished_at") WHERE state = 'dead';--> statement-breakpoint
CREATE INDEX "destinations_by_subscriber" ON "destinations" USING btree ("subscriber_id","channel");--> statement-breakpoint
CREATE UNIQUE INDEX "destinations_one_per_address" ON "destinations" USING btree ("subscriber_id","channel",lower("address")) WHERE state <> 'retired';--> statement-breakpoint
CREATE UNIQUE INDEX "destinations_one_owner_per_device" ON "destinations" USING btree ("address") WHERE channel = 'push' and state = 'active';--> statement-breakpoint
CREATE INDEX "destinations_by_address" ON "destinations" USING btree ("channel",lower("address")) WHERE state <> 'retired';--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notices_by_subscriber" ON "notices" USING btree ("subscriber_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "occurrences_number" ON "occurrences" USING btree ("reminder_id","number");--> statement-breakpoint
CREATE INDEX "occurrences_waiting_by_due" ON "occurrences" USING btree ("due_at","id") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "outbox_unpublished" ON "outbox" USING btree ("not_before","id") WHERE published_at is null;--> statement-breakpoint
CREATE INDEX "outbox_published" ON "outbox" USING btree ("published_at") WHERE published_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "payloads_one_per_version" ON "payloads" USING btree ("source_id","channel","version");--> statement-breakpoint
CREATE INDEX "reminders_by_subscriber" ON "reminders" USING btree ("subscriber_id","due_at","id");--> statement-breakpoint
CREATE INDEX "auth_sessions_by_user" ON "auth_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subscribers_external_id" ON "subscribers" USING btree ("external_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subscribers_user_id" ON "subscribers" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sweeps_by_start" ON "sweeps" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "auth_verifications_by_identifier" ON "auth_verifications" USING btree ("identifier");