/** Returns whether a request is still being handled, or its client has not received the whole answer yet. */
export type InFlight = () => boolean;

/** Looks up the peer of a request: Bun returns none once the client has the whole answer or has disconnected. */
interface PeerLookup<Request> {
  requestIP(request: Request): object | null;
}

/**
 * Bounds how many requests of one sender are in flight at one time. Bun does not report when a client has received an answer, so requests
 * are remembered, and finished ones are detected when their sender has no place left, and by `look`.
 */
export class RequestsInFlight {
  private readonly open = new Map<string, InFlight[]>();

  constructor(private readonly most: number) {}

  /** Takes a place for a request; returns false if the sender has none left. */
  enter(sender: string, request: InFlight): boolean {
    let open = this.open.get(sender);
    if (open !== undefined && open.length >= this.most) {
      open = open.filter((one) => one());
      this.open.set(sender, open);
      if (open.length >= this.most) return false;
    }
    if (open === undefined) this.open.set(sender, [request]);
    else open.push(request);
    return true;
  }

  /** Forgets requests that have ended. To be called once a second. */
  look(): void {
    for (const [sender, open] of this.open) {
      const left = open.filter((one) => one());
      if (left.length === 0) this.open.delete(sender);
      else this.open.set(sender, left);
    }
  }
}

/** Handles a request, passing on a function that returns whether the request is in flight. */
export async function inFlight<Request, Answer>(
  request: Request,
  peers: PeerLookup<Request>,
  answer: (isInFlight: InFlight) => Answer | Promise<Answer>,
): Promise<Answer> {
  let isAnswered = false;
  try {
    return await answer(() => !isAnswered || peers.requestIP(request) !== null);
  } finally {
    isAnswered = true;
  }
}
