-- Fires only where a statement names the column: the identity of a delivery never changes (P1).
CREATE FUNCTION deliveries_shipment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.shipment_event_id IS DISTINCT FROM OLD.shipment_event_id THEN
    RAISE EXCEPTION 'delivery %: key and identity never change', OLD.key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER deliveries_shipment_guard BEFORE UPDATE OF shipment_event_id ON deliveries
  FOR EACH ROW EXECUTE FUNCTION deliveries_shipment_guard();
--> statement-breakpoint
CREATE FUNCTION shipment_events_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> OLD.id OR NEW.shipment_id <> OLD.shipment_id OR NEW.version IS DISTINCT FROM OLD.version
     OR NEW.status <> OLD.status OR NEW.carrier_event_id <> OLD.carrier_event_id THEN
    RAISE EXCEPTION 'shipment event %: what was recorded never changes', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF (OLD.fanned_out_at IS NOT NULL AND NEW.fanned_out_at IS DISTINCT FROM OLD.fanned_out_at)
     OR (OLD.cursor IS NOT NULL AND (NEW.cursor IS NULL OR NEW.cursor < OLD.cursor)) THEN
    RAISE EXCEPTION 'shipment event %: it is fanned out exactly once, forwards', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER shipment_events_guard BEFORE UPDATE ON shipment_events FOR EACH ROW EXECUTE FUNCTION shipment_events_guard();
--> statement-breakpoint
CREATE FUNCTION shipments_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> OLD.id OR NEW.external_id <> OLD.external_id OR NEW.version < OLD.version THEN
    RAISE EXCEPTION 'shipment %: identity never changes, its version never falls', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER shipments_guard BEFORE UPDATE ON shipments FOR EACH ROW EXECUTE FUNCTION shipments_guard();
