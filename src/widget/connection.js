/*
 * A WebSocket that reconnects: it fetches a token, connects, detects silence, and retries after a loss
 * with full jitter. Frames are passed to the caller.
 */

const PROTOCOL = 'vesper.v1';
const CONNECT_LIMIT_MS = 15000;
const BACKOFF_FIRST_MS = 500;
const BACKOFF_CAP_MS = 30000;
const HEALTHY_AFTER_MS = 60000;
const PROBE_LIMIT_MS = 3000;
const CLOSE_LEFT = 1000;       /* the user leaves: a running answer may be cancelled */
const CLOSE_LOST = 4000;       /* the client reconnects: a running answer continues */
const CLOSE_UNAUTHORIZED = 4401;
const CLOSE_BUSY = 4429;
const CLOSE_TOO_BIG = 1009;
const FINAL_CODES = new Set([4400, 4403, 4404, 4409]);

export class Connection {
  #options;
  #socket = null;
  #state = 'stopped';
  #epoch = 0;
  #isPaused = false;
  #attempts = 0;
  #refusals = 0;
  #wantsFreshToken = false;
  #isAsked = false;        /* the user pressed a button to reconnect */
  #heardAt = 0;
  #timers = { retry: 0, connect: 0, heartbeat: 0, healthy: 0, probe: 0 };
  #onOnline = () => this.#state === 'waiting' && this.#connect();
  #onOffline = () => this.#probe();
  #onVisible = () => document.visibilityState === 'visible' && this.#onWake();

  /*
   * options: {url(): address, getToken({fresh, asked}): promise, onFrame(frame), onState(state, detail),
   *   onTooBig(): the last frame exceeded the server's limit}
   * States: connecting, ready, waiting, refused {code}, stopped.
   */
  constructor(options) {
    this.#options = options;
  }

  get isReady() {
    return this.#state === 'ready';
  }

  start() {
    this.#isPaused = false;
    addEventListener('online', this.#onOnline);
    addEventListener('offline', this.#onOffline);
    document.addEventListener('visibilitychange', this.#onVisible);
    this.#attempts = this.#refusals = 0;
    this.#connect();
  }

  /* Reconnects after pause(), unless stop() was called in the meantime. */
  resume() {
    if (this.#isPaused)
      this.start();
  }

  pause() {
    if (this.#state === 'stopped')
      return;
    this.stop();
    this.#isPaused = true;
  }

  stop() {
    this.#isPaused = false;
    removeEventListener('online', this.#onOnline);
    removeEventListener('offline', this.#onOffline);
    document.removeEventListener('visibilitychange', this.#onVisible);
    this.#drop(CLOSE_LEFT);
    this.#enter('stopped');
  }

  /* Drops the connection and reconnects with backoff. */
  cycle() {
    this.#wait();
  }

  retryNow() {
    if (this.#state === 'ready' || this.#state === 'connecting' || this.#state === 'stopped')
      return;
    this.#refusals = 0;
    this.#isAsked = true;
    this.#connect();
  }

  /* False: not connected. The caller keeps frames that must not be lost. */
  send(frame) {
    if (!this.isReady)
      return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  async #connect() {
    const epoch = this.#drop(CLOSE_LOST);
    let token;

    this.#enter('connecting');
    try {
      token = await this.#options.getToken({ fresh: this.#wantsFreshToken, asked: this.#isAsked });
    } catch (error) {
      if (epoch !== this.#epoch)
        return;
      if ([401, 403, 404].includes(error?.status))
        this.#enter('refused', { code: CLOSE_UNAUTHORIZED });
      else
        this.#wait();
      return;
    }
    if (epoch === this.#epoch)
      this.#open(token, epoch);
  }

  #open(token, epoch) {
    const socket = new WebSocket(this.#options.url(), [PROTOCOL, `bearer.${token}`]);
    const current = (action) => (event) => epoch === this.#epoch && action(event);

    this.#socket = socket;
    this.#wantsFreshToken = this.#isAsked = false;
    socket.addEventListener('message', current((event) => this.#onMessage(event.data)));
    socket.addEventListener('close', current((event) => this.#onClose(event)));
    this.#timers.connect = setTimeout(() => this.cycle(), CONNECT_LIMIT_MS);
  }

  #onMessage(data) {
    let frame;

    this.#heardAt = performance.now();
    try {
      frame = JSON.parse(data);
    } catch {
      this.cycle();
      return;
    }
    if (frame.type === 'session.ready')
      this.#onReady(frame);
    else if (frame.type === 'auth.expiring')
      this.#renewToken();
    this.#options.onFrame(frame);
  }

  #onReady(frame) {
    clearTimeout(this.#timers.connect);
    this.#refusals = 0;
    this.#timers.healthy = setTimeout(() => { this.#attempts = 0; }, HEALTHY_AFTER_MS);
    if (frame.heartbeat_s > 0)
      this.#timers.heartbeat = setInterval(() => this.#checkSilence(frame.heartbeat_s * 1000),
        frame.heartbeat_s * 1000);
    this.#enter('ready');
  }

  /* Browsers hide the server's pings. A silent connection is pinged, and dropped if it stays silent. */
  #checkSilence(limitMs) {
    const silentMs = performance.now() - this.#heardAt;

    if (silentMs > 2 * limitMs)
      this.cycle();
    else if (silentMs > limitMs / 2)
      this.send({ type: 'ping', t: Date.now() });
  }

  /* Reconnects at once when the page becomes visible. After sleep, a connection may only seem to be open. */
  #onWake() {
    if (this.#state === 'waiting')
      this.#connect();
    else
      this.#probe();
  }

  /* "Offline" does not apply to a server on this machine, so the connection itself is pinged. */
  #probe() {
    const askedAt = performance.now();

    clearTimeout(this.#timers.probe);
    if (this.send({ type: 'ping', t: Date.now() }))
      this.#timers.probe = setTimeout(() => this.#heardAt < askedAt && this.cycle(),
        PROBE_LIMIT_MS);
  }

  async #renewToken() {
    const epoch = this.#epoch;

    try {
      const token = await this.#options.getToken({ fresh: true });

      if (epoch === this.#epoch)
        this.send({ type: 'auth', token });
    } catch {
      /* The server closes with 4401 when the old token expires; #onClose handles that. */
    }
  }

  #onClose({ code, reason }) {
    this.#drop();
    if (code === CLOSE_TOO_BIG)
      this.#options.onTooBig();
    if (FINAL_CODES.has(code)) {
      this.#enter('refused', { code, reason });
    } else if (code === CLOSE_UNAUTHORIZED) {
      this.#wantsFreshToken = true;
      if (++this.#refusals > 1)
        this.#enter('refused', { code, reason });
      else
        this.#connect();
    } else {
      this.#wait(code === CLOSE_BUSY ? parseRetryMs(reason) : 0);
    }
  }

  #wait(leastMs = 0) {
    this.#drop(CLOSE_LOST);
    const capMs = Math.min(BACKOFF_CAP_MS, BACKOFF_FIRST_MS * 2 ** this.#attempts++);
    const delayMs = leastMs + Math.random() * capMs;

    this.#timers.retry = setTimeout(() => this.#connect(), delayMs);
    this.#enter('waiting', { delayMs });
  }

  /* Late events of the dropped socket have another epoch and are ignored. */
  #drop(code) {
    for (const timer of Object.values(this.#timers))
      clearTimeout(timer);
    if (code)
      this.#socket?.close(code);
    this.#socket = null;
    return ++this.#epoch;
  }

  #enter(state, detail = {}) {
    this.#state = state;
    this.#options.onState(state, detail);
  }
}

function parseRetryMs(reason) {
  const match = /retry=(\d+)/.exec(reason);

  return match ? Number(match[1]) * 1000 : 0;
}
