/*
 * How long a suite waits for what must come. Nothing is judged by these times: who waits longer than that waits for
 * something that hangs. VESPER_TEST_PATIENCE stretches them, where a machine has no time for its tests.
 */

const FACTOR = Number(process.env.VESPER_TEST_PATIENCE ?? 1);

/* To vesperd and vesperctl it would be a setting that they do not have. */
delete process.env.VESPER_TEST_PATIENCE;

export const patient = (ms) => ms * FACTOR;
