/** A fault of a response. */
export type Fault =
  /** A status with an error body; a 429 also has a `Retry-After`. */
  | { readonly kind: 'status'; readonly status: number }
  /** The connection is reset before any response, or there is never a response. */
  | { readonly kind: 'reset' | 'hang' }
  /** Status 200, with a body that is not JSON. */
  | { readonly kind: 'garbage' }
  /** The connection is reset, or stalls, in the middle of the body. */
  | { readonly kind: 'reset-mid' | 'hang-mid' }
  | { readonly kind: 'slow'; readonly delayMs: number };

/**
 * The faults of one replay server by name: `status-429`, `reset`, `hang`, `garbage`, `reset-mid`, `hang-mid`, `slow-200`, and
 * `first-2-reset`, which affects only the first two requests.
 */
export class Faults {
  private readonly failed = new Map<string, number>();

  /** Returns the fault of this request; `null` if it has none, `undefined` for an unknown name. */
  next(name: string, id: string): Fault | null | undefined {
    const [, limit, repeated] = /^first-(\d+)-(.+)$/.exec(name) ?? [];
    if (limit === undefined || repeated === undefined) return faultNamed(name);
    const key = `${name} ${id}`;
    const count = (this.failed.get(key) ?? 0) + 1;
    this.failed.set(key, count);
    return count <= Number(limit) ? faultNamed(repeated) : null;
  }
}

function faultNamed(name: string): Fault | undefined {
  const [, kind, number] = /^(status|slow)-(\d+)$/.exec(name) ?? [];
  if (kind === 'status') return { kind, status: Number(number) };
  if (kind === 'slow') return { kind, delayMs: Number(number) };
  switch (name) {
    case 'reset':
    case 'hang':
    case 'garbage':
    case 'reset-mid':
    case 'hang-mid':
      return { kind: name };
    default:
      return undefined;
  }
}
