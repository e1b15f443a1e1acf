-- The moves of db/rules/lifecycle.ts, once more, where nothing can walk around them (P1, P4, P6).
CREATE FUNCTION deliveries_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.key <> OLD.key OR NEW.reference <> OLD.reference OR NEW.id <> OLD.id
     OR NEW.subscriber_id <> OLD.subscriber_id OR NEW.channel <> OLD.channel
     OR NEW.occurrence_id IS DISTINCT FROM OLD.occurrence_id OR NEW.notice_id IS DISTINCT FROM OLD.notice_id THEN
    RAISE EXCEPTION 'delivery %: key and identity never change', OLD.key USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.first_attempt_at IS NOT NULL AND (
       NEW.payload_id IS DISTINCT FROM OLD.payload_id OR NEW.version <> OLD.version
       OR NEW.destination_id IS DISTINCT FROM OLD.destination_id OR NEW.partition IS DISTINCT FROM OLD.partition
       OR NEW.first_attempt_at IS DISTINCT FROM OLD.first_attempt_at
       OR (OLD.content_hash IS NOT NULL AND NEW.content_hash IS DISTINCT FROM OLD.content_hash)) THEN
    RAISE EXCEPTION 'delivery %: payload and destination are fixed once an attempt has begun', OLD.key
      USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.token < OLD.token OR NEW.attempt_count < OLD.attempt_count THEN
    RAISE EXCEPTION 'delivery %: token and attempt count never fall', OLD.key USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.unresolved_since IS NOT NULL AND NEW.unresolved_since IS DISTINCT FROM OLD.unresolved_since
     AND NEW.state <> 'delivered' THEN
    RAISE EXCEPTION 'delivery %: an unknown outcome is cleared only by positive evidence', OLD.key
      USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.state = OLD.state THEN
    RETURN NEW;
  END IF;
  IF (OLD.state IN ('scheduled', 'ready', 'deferred') AND NEW.state = 'sending')
     OR (OLD.state = 'sending' AND NEW.state IN ('delivered', 'deferred', 'dead', 'expired', 'ready'))
     OR (OLD.state IN ('scheduled', 'deferred') AND NEW.state = 'ready')
     OR (OLD.state IN ('ready', 'deferred') AND NEW.state = 'scheduled')
     OR (OLD.state = 'ready' AND NEW.state = 'deferred')
     OR (OLD.state IN ('scheduled', 'ready', 'deferred') AND NEW.state = 'expired' AND OLD.unresolved_since IS NULL)
     OR (OLD.state IN ('scheduled', 'ready', 'deferred') AND NEW.state = 'dead' AND OLD.unresolved_since IS NOT NULL)
     OR (OLD.state = 'dead' AND NEW.state = 'ready' AND NEW.redrive_id IS NOT NULL
         AND NEW.redrive_id IS DISTINCT FROM OLD.redrive_id)
     OR (OLD.state IN ('scheduled', 'ready', 'deferred') AND NEW.state = 'delivered')
     OR (OLD.state = 'dead' AND OLD.reason = 'outcome_unknown' AND NEW.state = 'delivered') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'delivery %: % -> % is not a legal move', OLD.key, OLD.state, NEW.state
    USING ERRCODE = 'check_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER deliveries_guard BEFORE UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION deliveries_guard();
--> statement-breakpoint
CREATE FUNCTION payloads_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.wiped_at IS NULL AND NEW.wiped_at IS NOT NULL AND NEW.content IS NULL AND NEW.id = OLD.id
     AND NEW.source_id = OLD.source_id AND NEW.channel = OLD.channel AND NEW.version = OLD.version THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'payload %: rendered content never changes; it can only be wiped', OLD.id USING ERRCODE = 'check_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER payloads_guard BEFORE UPDATE ON payloads FOR EACH ROW EXECUTE FUNCTION payloads_guard();
--> statement-breakpoint
CREATE FUNCTION destinations_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> OLD.id OR NEW.subscriber_id <> OLD.subscriber_id OR NEW.channel <> OLD.channel
     OR NEW.address <> OLD.address OR NEW.p256dh IS DISTINCT FROM OLD.p256dh OR NEW.auth IS DISTINCT FROM OLD.auth THEN
    RAISE EXCEPTION 'destination %: an address never changes in place', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.state = 'retired' AND NEW.state <> 'retired' THEN
    RAISE EXCEPTION 'destination %: a retired destination stays retired', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER destinations_guard BEFORE UPDATE ON destinations FOR EACH ROW EXECUTE FUNCTION destinations_guard();
--> statement-breakpoint
CREATE FUNCTION attempts_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- An attempt that a crash left unknown may still be settled by its late answer.
  IF NEW.id = OLD.id AND NEW.delivery_id = OLD.delivery_id AND NEW.number = OLD.number AND NEW.token = OLD.token
     AND NEW.run_id = OLD.run_id AND NEW.epoch = OLD.epoch AND NEW.slot_at = OLD.slot_at AND NEW.begun_at = OLD.begun_at
     AND NEW.settled_at IS NOT NULL AND (OLD.settled_at IS NULL OR OLD.class = 'crashed') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'attempt %: attempts are settled once and never change', OLD.id USING ERRCODE = 'check_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER attempts_guard BEFORE UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION attempts_guard();
--> statement-breakpoint
CREATE FUNCTION occurrences_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> OLD.id OR NEW.reminder_id <> OLD.reminder_id OR NEW.number <> OLD.number THEN
    RAISE EXCEPTION 'occurrence %: identity never changes', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.opened_at IS NOT NULL AND NEW.opened_at IS DISTINCT FROM OLD.opened_at THEN
    RAISE EXCEPTION 'occurrence %: it opens exactly once', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER occurrences_guard BEFORE UPDATE ON occurrences FOR EACH ROW EXECUTE FUNCTION occurrences_guard();
--> statement-breakpoint
-- The hot rows stay on their page: one meter per page, ledger rows with room for their own updates.
ALTER TABLE meters SET (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
--> statement-breakpoint
ALTER TABLE lanes SET (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
--> statement-breakpoint
ALTER TABLE deliveries SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
-- The first generation; a restore names a new one in LEDGER_GENERATION and is held until it is promoted.
INSERT INTO ledger_state (singleton, generation, mode) VALUES (1, 'g1', 'sending');
--> statement-breakpoint
-- What a code said is nobody's business once its delivery has ended.
CREATE FUNCTION notices_wipe() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payloads SET content = NULL, wiped_at = ledger_now() WHERE id = NEW.payload_id AND wiped_at IS NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER notices_wipe AFTER UPDATE OF state ON deliveries FOR EACH ROW
  WHEN (NEW.notice_id IS NOT NULL AND NEW.state IN ('delivered', 'dead', 'expired') AND OLD.state <> NEW.state)
  EXECUTE FUNCTION notices_wipe();
