/*
 * The server's clock. Expiry times refer to it, and the browser's clock may differ by hours. The offset is
 * taken from responses; small differences are network latency and are ignored.
 */

const ROAD_MS = 5000;

let aheadMs = 0;

export function learnTime(serverMs) {
  const ms = serverMs - Date.now();

  if (!Number.isNaN(ms))
    aheadMs = Math.abs(ms) < ROAD_MS ? 0 : ms;
}

/* The creation time of a UUIDv7; NaN for other ids. */
export function timeOfId(id) {
  return id[14] === '7' ? parseInt(id.replace('-', '').slice(0, 12), 16) : NaN;
}

export function serverNow() {
  return Date.now() + aheadMs;
}
