-- As in 0002, with what erasure of a person may do and nothing else may.
CREATE OR REPLACE FUNCTION destinations_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> OLD.id OR NEW.subscriber_id <> OLD.subscriber_id OR NEW.channel <> OLD.channel THEN
    RAISE EXCEPTION 'destination %: an address never changes in place', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.address <> OLD.address OR NEW.p256dh IS DISTINCT FROM OLD.p256dh OR NEW.auth IS DISTINCT FROM OLD.auth THEN
    IF NEW.state <> 'retired' OR NEW.address <> 'erased:' || OLD.id
       OR (OLD.p256dh IS NOT NULL AND NEW.p256dh <> 'erased') OR (OLD.auth IS NOT NULL AND NEW.auth <> 'erased') THEN
      RAISE EXCEPTION 'destination %: an address never changes in place', OLD.id USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  IF OLD.state = 'retired' AND NEW.state <> 'retired' THEN
    RAISE EXCEPTION 'destination %: a retired destination stays retired', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION attempts_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- An attempt that a crash left unknown may still be settled by its late answer.
  IF NEW.id = OLD.id AND NEW.delivery_id = OLD.delivery_id AND NEW.number = OLD.number AND NEW.token = OLD.token
     AND NEW.run_id = OLD.run_id AND NEW.epoch = OLD.epoch AND NEW.slot_at = OLD.slot_at AND NEW.begun_at = OLD.begun_at
     AND NEW.settled_at IS NOT NULL AND (OLD.settled_at IS NULL OR OLD.class = 'crashed') THEN
    RETURN NEW;
  END IF;
  -- The provider's words go with the person; what became of the call stays.
  IF NEW.detail IS NULL AND to_jsonb(NEW) - 'detail' = to_jsonb(OLD) - 'detail' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'attempt %: attempts are settled once and never change', OLD.id USING ERRCODE = 'check_violation';
END $$;
--> statement-breakpoint
-- A person who was erased never comes back under the same row.
CREATE FUNCTION subscribers_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'subscriber %: who was erased stays erased', OLD.id USING ERRCODE = 'check_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER subscribers_guard BEFORE UPDATE ON subscribers FOR EACH ROW
  WHEN (OLD.erased_at IS NOT NULL) EXECUTE FUNCTION subscribers_guard();
--> statement-breakpoint
INSERT INTO retention (state, keep_days) VALUES ('content', 30) ON CONFLICT DO NOTHING;
