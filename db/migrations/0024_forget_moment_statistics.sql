-- Columns without statistics keep those of before: they are cleared where the server can (Postgres 18).
DO $$
BEGIN
  IF to_regprocedure('pg_clear_attribute_stats(text, text, text, boolean)') IS NOT NULL THEN
    PERFORM pg_clear_attribute_stats(current_schema()::text, 'deliveries', name, false)
    FROM unnest(array['state', 'pass', 'next_eligible_at', 'admitted_until', 'kept_until', 'lease_until']) name;
  END IF;
END
$$;
