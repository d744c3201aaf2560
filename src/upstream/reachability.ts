/** An origin is taken as reachable for this long after it has last answered. */
const PROOF_LASTS_MS = 10_000;

interface OriginState {
  provenAtMs: number;
  pendingSinceMs: number | null;
}

/**
 * Bun's `fetch` has no connect timeout of its own: a host that swallows packets would hold a request until the first-byte
 * timeout. So while an origin has not answered lately, one TCP connection of our own finds out whether it can be reached
 * (docs/decisions/001-runtime.md). Under steady traffic the answers themselves are the proof and nothing is opened.
 */
export class Reachability {
  private readonly origins = new Map<string, OriginState>();

  /** Starts a check unless the origin is proven or already being checked. */
  check(origin: string, nowMs: number): void {
    const state = this.stateOf(origin);
    if (nowMs - state.provenAtMs < PROOF_LASTS_MS || state.pendingSinceMs !== null) return;
    state.pendingSinceMs = nowMs;
    this.connect(origin, state);
  }

  /** The origin has answered something. */
  prove(origin: string, nowMs: number): void {
    this.stateOf(origin).provenAtMs = nowMs;
  }

  /** Whether a check has waited for the TCP connection for `connectMs` or more, also counted from `sinceMs`. */
  seemsDead(origin: string, sinceMs: number, nowMs: number, connectMs: number): boolean {
    const state = this.stateOf(origin);
    if (state.provenAtMs >= sinceMs || state.pendingSinceMs === null) return false;
    return nowMs - Math.max(state.pendingSinceMs, sinceMs) >= connectMs;
  }

  private stateOf(origin: string): OriginState {
    let state = this.origins.get(origin);
    if (!state) {
      state = { provenAtMs: Number.NEGATIVE_INFINITY, pendingSinceMs: null };
      this.origins.set(origin, state);
    }
    return state;
  }

  private connect(origin: string, state: OriginState): void {
    const { hostname, port, protocol } = new URL(origin);
    const done = (reached: boolean) => {
      state.pendingSinceMs = null;
      if (reached) state.provenAtMs = performance.now();
    };
    Bun.connect({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      socket: {
        open(socket) {
          done(true);
          socket.end();
        },
        data() {},
        connectError: () => done(false),
      },
    }).catch(() => done(false));
  }
}
