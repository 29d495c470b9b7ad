/*
 * The server's clock. What it says about ends is meant by its own, and the reader's may be hours away: it
 * is learned from answers, and small differences are only the way they took.
 */

const ROAD_MS = 5000;

let aheadMs = 0;

export function learnTime(serverMs) {
  const ms = serverMs - Date.now();

  if (!Number.isNaN(ms))
    aheadMs = Math.abs(ms) < ROAD_MS ? 0 : ms;
}

/* When an id was made, if it is one that knows (UUIDv7). */
export function timeOfId(id) {
  return id[14] === '7' ? parseInt(id.replace('-', '').slice(0, 12), 16) : NaN;
}

export function serverNow() {
  return Date.now() + aheadMs;
}
