-- As in 0002, with what redrive adds: counts never fall, an allowance only grows, and an unknown outcome is cleared by
-- delivery or by an operator's recorded answer, nothing else (P4, P9).
CREATE OR REPLACE FUNCTION deliveries_guard() RETURNS trigger LANGUAGE plpgsql AS $$
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
  IF NEW.token < OLD.token OR NEW.attempt_count < OLD.attempt_count OR NEW.failure_count < OLD.failure_count
     OR NEW.throttle_count < OLD.throttle_count OR NEW.failure_budget < OLD.failure_budget THEN
    RAISE EXCEPTION 'delivery %: token, counts and allowance never fall', OLD.key USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.unresolved_since IS NOT NULL AND NEW.unresolved_since IS DISTINCT FROM OLD.unresolved_since
     AND NEW.state <> 'delivered'
     AND NOT (NEW.unresolved_since IS NULL AND NEW.resolution_id IS NOT NULL
       AND NEW.resolution_id IS DISTINCT FROM OLD.resolution_id) THEN
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
CREATE FUNCTION redrives_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> OLD.id OR NEW.origin <> OLD.origin OR NEW.filter <> OLD.filter
     OR NEW.includes_ambiguous <> OLD.includes_ambiguous THEN
    RAISE EXCEPTION 'redrive %: what was chosen never changes', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.state = OLD.state
     OR (OLD.state = 'previewed' AND NEW.state = 'running')
     OR (OLD.state = 'running' AND NEW.state IN ('paused', 'stopped', 'finished'))
     OR (OLD.state = 'paused' AND NEW.state IN ('running', 'stopped')) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'redrive %: % -> % is not a legal move', OLD.id, OLD.state, NEW.state USING ERRCODE = 'check_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER redrives_guard BEFORE UPDATE ON redrives FOR EACH ROW EXECUTE FUNCTION redrives_guard();
--> statement-breakpoint
CREATE FUNCTION redrive_members_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.redrive_id <> OLD.redrive_id OR NEW.delivery_id <> OLD.delivery_id OR NEW.burial_id <> OLD.burial_id
     OR NEW.partition <> OLD.partition OR NEW.position <> OLD.position OR NEW.reason <> OLD.reason
     OR NEW.verdict <> OLD.verdict THEN
    RAISE EXCEPTION 'member % of redrive %: a frozen set never changes', OLD.delivery_id, OLD.redrive_id
      USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.state = OLD.state
     OR (OLD.state = 'pending' AND NEW.state IN ('released', 'skipped'))
     OR (OLD.state = 'released' AND NEW.state IN ('delivered', 'dead', 'expired')) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'member % of redrive %: % -> % is not a legal move', OLD.delivery_id, OLD.redrive_id, OLD.state, NEW.state
    USING ERRCODE = 'check_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER redrive_members_guard BEFORE UPDATE ON redrive_members FOR EACH ROW EXECUTE FUNCTION redrive_members_guard();
