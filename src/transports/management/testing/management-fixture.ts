import type { PersonActor, Requester, TokenActor } from '../../../domain/access/actor.ts';
import { DEFAULT_QUOTAS } from '../../../domain/access/object-quotas.ts';
import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { openTestStore } from '../../../stores/sqlite/testing/test-store.ts';
import { MANAGEMENT_PATH } from '../base-path.ts';
import { Management } from '../management.ts';
import type { ManagementRoute } from '../route.ts';

export interface Answered {
  readonly status: number;
  /** A text unless it is JSON; `null` if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any;
  readonly headers: Headers;
}

export function token(accountId: string, fields: Partial<TokenActor> = {}): TokenActor {
  return {
    kind: 'token',
    accountId,
    tokenId: 't',
    name: 'CI',
    expiresAtMs: null,
    scopes: ['*'],
    isOperator: false,
    ...fields,
  };
}

export const OPERATOR: PersonActor = {
  ...{ kind: 'person', userId: 'u_op', email: 'op@example.com', name: 'Op', sessionId: 's' },
  ...{ isOperator: true, memberships: [], secondFactorAtMs: null },
};

/** The management API over a store of its own; tests name the requester instead of sending a credential. */
export class ManagementFixture {
  readonly clock = new FakeClock();
  private management: Management | null = null;
  private requester: Requester | null = null;

  private constructor(
    readonly store: Store,
    private readonly routes: (fixture: ManagementFixture) => readonly ManagementRoute[],
  ) {}

  static async open(routes: (fixture: ManagementFixture) => readonly ManagementRoute[]): Promise<ManagementFixture> {
    return new ManagementFixture(await openTestStore(), routes);
  }

  async ask(
    requester: Requester | null,
    line: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const { directory, idempotency, audit } = this.store;
    this.management ??= new Management(this.routes(this), {
      ...{ directory, idempotency, audit, clock: this.clock },
      newRequestId: () => 'req_1',
      configurationPath: null,
      requesterOf: async () => this.requester,
      limits: { refusalOf: async () => null },
      quotas: DEFAULT_QUOTAS,
      settled: async () => ({}),
    });
    this.requester = requester;
    const [method = 'GET', path = ''] = line.split(' ');
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = new Request(`http://gateway.test${MANAGEMENT_PATH}${path}`, {
      method,
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const facts = { address: null, publicOrigin: 'http://gateway.test', isInFlight: () => false };
    const answer = await this.management.answer(request, facts);
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.match(/^application\/json\b/);
    return { status: answer.status, body: isJson ? JSON.parse(text) : text || null, headers: answer.headers };
  }
}
