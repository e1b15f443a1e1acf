-- What the ledger's statistics may know. These columns describe the moment: a sample that was taken in a quiet one says
-- "nothing waits", and then every index looks as good as any other to a crowd that comes before the next sample. Without
-- a sample the planner assumes that a fair share waits, and takes the index that was made for the question.
ALTER TABLE "deliveries"
  ALTER COLUMN "state" SET STATISTICS 0,
  ALTER COLUMN "pass" SET STATISTICS 0,
  ALTER COLUMN "next_eligible_at" SET STATISTICS 0,
  ALTER COLUMN "admitted_until" SET STATISTICS 0,
  ALTER COLUMN "kept_until" SET STATISTICS 0,
  ALTER COLUMN "lease_until" SET STATISTICS 0;
