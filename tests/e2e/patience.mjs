/*
 * Time limits for waiting in suites. No test judges by these times: an operation that exceeds them hangs.
 * VESPER_TEST_PATIENCE scales them for slow machines.
 */

const FACTOR = Number(process.env.VESPER_TEST_PATIENCE ?? 1);

/* To vesperd and vesperctl it would be a setting that they do not have. */
delete process.env.VESPER_TEST_PATIENCE;

export const patient = (ms) => ms * FACTOR;
