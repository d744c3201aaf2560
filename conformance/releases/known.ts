import type { Serving } from '../shared/serving.ts';

export type Credential = 'operator' | 'token' | 'key';

/** A request that reads something, and its answer. */
export interface KnownAnswer {
  /** The credential that is sent. */
  readonly as: Credential;
  readonly path: string;
  /** The answer's members. Later versions may add others. */
  readonly answer: unknown;
}

/** The secrets of a fixture's database, and everything that its version told about it before it stopped. */
export interface Known {
  readonly secret: string;
  /** A management token of an operator, one of the account, and an API key of the account. */
  readonly credentials: Readonly<Record<Credential, string>>;
  readonly person: { readonly email: string; readonly password: string };
  /** A grant that was made with an idempotency key. */
  readonly grant: { readonly idempotencyKey: string; readonly body: object };
  /** When the version stopped. */
  readonly stoppedAt: string;
  /** The output of `ledger verify --json`. */
  readonly ledger: object;
  readonly answers: readonly KnownAnswer[];
}

/** The account whose data is in the fixtures. */
export const ACCOUNT = 'acme';

/** The configuration with which the versions run. */
export const CONFIGURATION = {
  sandbox: true,
  models: [
    { id: 'sandbox-chat', pricing: { input_per_1m: '3', output_per_1m: '15' } },
    { id: 'sandbox-video', pricing: { per_request: '0.25' } },
  ],
};

export type Reader = (as: Credential, path: string) => Promise<unknown>;

/** Returns a function that reads with one of the credentials, all pages of a list; it rejects unless the status is 200. */
export function readerOf(gateway: Pick<Serving, 'origin'>, { credentials }: Pick<Known, 'credentials'>): Reader {
  const read = async (as: Credential, path: string): Promise<object> => {
    const headers = { authorization: `Bearer ${credentials[as]}` };
    const answer = await fetch(`${gateway.origin}${path}`, { headers });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  return async (as, path) => {
    const first: Partial<Page> = await read(as, path);
    if (first.next == null) return first;
    // On a busy machine a page of the log ends before it is full.
    const rest = (await readerOf(gateway, { credentials })(as, pageAfter(path, first.next))) as Page;
    return { ...rest, data: [...(first.data ?? []), ...rest.data] };
  };
}

interface Page {
  readonly data: readonly unknown[];
  readonly next: string | null;
}

function pageAfter(path: string, cursor: string): string {
  const [base, query] = path.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('after', cursor);
  return `${base}?${parameters}`;
}
