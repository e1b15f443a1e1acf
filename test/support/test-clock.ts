import postgres from "postgres";

let connection: postgres.Sql | null = null;
let current = Number.NaN;

/** The time that `ledger_now()` tells in a database made from the clock template. It stands still until it is moved. */
export const testClock = {
  /** Epoch milliseconds, as last set here. */
  nowMs: (): number => current,
  /** Sets the time; committed when it returns, so every later statement sees it. */
  async set(ms: number): Promise<void> {
    if (connection === null) throw new Error("The test clock is not connected to a database.");
    await connection`update public.test_clock set now = to_timestamp(${ms}::float8 / 1000)`;
    current = ms;
  },
  async advance(ms: number): Promise<void> {
    await testClock.set(current + ms);
  },
};

/** Connects the clock to a database and reads it. */
export async function connectTestClock(databaseUrl: string): Promise<void> {
  connection = postgres(databaseUrl, {
    max: 1,
    onnotice: () => {},
    connection: { application_name: "test clock" },
  });
  const [row] = await connection<{ ms: number }[]>`
    select (extract(epoch from now) * 1000)::float8 as ms from public.test_clock`;
  if (row === undefined) throw new Error("The test clock has no row.");
  current = row.ms;
}

export async function disconnectTestClock(): Promise<void> {
  await connection?.end({ timeout: 5 });
  connection = null;
}
