/** Nothing dead is redriven after two weeks: what it announces is long over, and providers have forgotten its key. */
export const REDRIVE_HORIZON_DAYS = 14;
