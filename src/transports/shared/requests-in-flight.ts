/** Whether a request is still being worked on, or its client has not taken the whole answer yet. */
export type InFlight = () => boolean;

/** What tells whether the client of a request is still there. Bun knows nothing of a client any more that has the whole answer. */
interface PeerLookup<Request> {
  requestIP(request: Request): object | null;
}

/**
 * Bounds how many requests of one sender are in flight at one time. Bun does not say when a client has taken an answer, so requests are
 * remembered, and those that are over are found when their sender has no place left, and by `look`.
 */
export class RequestsInFlight {
  private readonly open = new Map<string, InFlight[]>();

  constructor(private readonly most: number) {}

  /** Takes a place for a request; false where the sender has none left. */
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

  /** Forgets requests that are over. To be called once a second. */
  look(): void {
    for (const [sender, open] of this.open) {
      const left = open.filter((one) => one());
      if (left.length === 0) this.open.delete(sender);
      else this.open.set(sender, left);
    }
  }
}

/** Answers a request, with a function beside it that says whether the request is in flight. */
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
