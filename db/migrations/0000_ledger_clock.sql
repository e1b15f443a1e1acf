-- The one clock. STABLE, because a VOLATILE function in a predicate disables the index; after a lock the code reads it
-- anew in its own statement. A test database replaces this function by one that reads a clock row; production has no
-- such door.
CREATE FUNCTION ledger_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT clock_timestamp() $$;
--> statement-breakpoint
-- Instants cross into the program as epoch milliseconds.
CREATE FUNCTION epoch_ms(t timestamptz) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT round(extract(epoch FROM t) * 1000, 3)::double precision $$;
--> statement-breakpoint
CREATE FUNCTION from_epoch_ms(ms double precision) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT timestamptz 'epoch' + ms * interval '1 millisecond' $$;
