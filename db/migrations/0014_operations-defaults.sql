-- What each channel and lane promises until somebody sets it otherwise. Urgent is a code that a person waits for; standard
-- is a reminder, which should not be a minute late; bulk is measured in half hours; redriven work is late by nature, so
-- its age is bounded by a day and its lateness by a week. Carriers take seconds and refuse more than mailbox providers.
INSERT INTO slos (channel, lane, p99_age_ms, p99_due_to_accepted_ms, throttled_share, dead_per_thousand)
SELECT c.channel, l.lane, l.age_ms, l.late_ms + c.call_ms, 0.05, c.dead
FROM (VALUES ('email', 0, 5), ('sms', 5000, 20), ('push', 0, 5)) AS c(channel, call_ms, dead),
  (VALUES ('urgent', 5000, 10000), ('standard', 30000, 60000), ('bulk', 1800000, 3600000),
    ('redrive', 86400000, 604800000)) AS l(lane, age_ms, late_ms);
--> statement-breakpoint
-- Proposed, not approved: nothing is removed before two people have said yes.
INSERT INTO retention (state, keep_days) VALUES ('delivered', 30), ('dead', 90), ('expired', 30);
--> statement-breakpoint
-- Which database server this is: a restored or promoted copy answers differently. Two reads of the control file.
CREATE FUNCTION ledger_installation() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT s.system_identifier || ':' || c.timeline_id || ':' || d.oid
  FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database()
$$;
