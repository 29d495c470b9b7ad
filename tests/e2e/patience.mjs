/*
 * Time limits for waiting in suites. No test judges by these times: an operation that exceeds them hangs.
 * VESPER_TEST_PATIENCE scales them for slow machines.
 */

const FACTOR = Number(process.env.VESPER_TEST_PATIENCE ?? 1);

/* The programs under test must not inherit it: they have no such setting. */
delete process.env.VESPER_TEST_PATIENCE;

export const patient = (ms) => ms * FACTOR;
