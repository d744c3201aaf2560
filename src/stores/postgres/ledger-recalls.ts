import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { Clock } from '../../engine/ports/clock.ts';
import type { LeasePlace } from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { firstLine } from '../shared/store-open-error.ts';
import { query } from './connection.ts';
import type { LedgerNode } from './ledger-node.ts';
import { type Notifications, notifyOn } from './notifications.ts';

/** How long a node that lacks money waits for others. They may have to count the tokens of a prompt to lower a reservation. */
const ANSWERED_WITHIN_MS = 1_000;
/** How long an unresponsive node is not waited for: it is frozen, of an older version, or behind a pooler without notifications. */
const DEAF_FOR_MS = 15_000;
const MOST_DEAF = 1_000;

/** Parameters: this node, account, key. Uses one index look-up per node. */
const OTHERS = `
  select node_id from nodes n where node_id <> $1 and (
    exists (
      select from leases l
        where l.node_id = n.node_id and l.account_id = $2 and l.key_id in ('', $3) and l.amount_nano > 0
    ) or exists (
      select from budget_leases l
        where l.node_id = n.node_id and l.account_id = $2 and l.key_id in ('', $3) and l.amount_nano > 0
    )
  )`;

const recallMessage = z.object({ call: z.string(), from: z.string(), account: z.string(), key: z.string().nullable() });
const answerMessage = z.object({ call: z.string(), node: z.string(), gave: z.boolean() });

export interface LedgerRecallsOptions {
  readonly pool: Pool;
  readonly node: LedgerNode;
  readonly notifications: Notifications;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  /** Resolves when the operations in flight on these spending pools are done. */
  readonly underWay: (place: LeasePlace) => Promise<void>;
}

/** The responses to one recall by this node. */
interface OpenCall {
  readonly missing: Set<string>;
  gave: boolean;
  readonly answered: () => void;
}

/** Recalls idle leases of other nodes, and responds to their recalls. */
export class LedgerRecalls {
  readonly #options: LedgerRecallsOptions;
  readonly #calls = new Map<string, OpenCall>();
  /** Releases in progress by account. A concurrent recall shares their result, since they may release the missing amount. */
  readonly #giving = new Map<string, Promise<boolean>>();
  /** The monotonic time until which a node is not waited for. */
  readonly #deafUntilMs = new Map<string, number>();
  #isListening = false;

  constructor(options: LedgerRecallsOptions) {
    this.#options = options;
  }

  /** Registers `giveBack`, which is called when another node lacks money; it resolves to whether anything was released. */
  onRecall(giveBack: (place: LeasePlace) => Promise<boolean>): void {
    const { notifications } = this.#options;
    notifications.on('recall', (payload) => this.#asked(payload, giveBack));
    notifications.on('recalled', (payload) => this.#heard(payload));
    this.#isListening = true;
  }

  /** Asks other nodes to release idle leases on these spending pools. Resolves to whether any did so within a second. */
  async recall({ accountId, keyId }: LeasePlace): Promise<boolean> {
    // A command holds no leases and receives no responses.
    if (!this.#isListening) return false;
    const { pool, node } = this.#options;
    const from = node.id ?? '';
    const { rows } = await query<{ node_id: string }>(pool, OTHERS, [from, accountId, keyId ?? '']);
    const missing = new Set(rows.map(({ node_id }) => node_id).filter((id) => !this.#isDeaf(id)));
    if (missing.size === 0) return false;
    const call = randomUUID();
    const answered = Promise.withResolvers<void>();
    const open: OpenCall = { missing, gave: false, answered: answered.resolve };
    this.#calls.set(call, open);
    const timer = setTimeout(answered.resolve, ANSWERED_WITHIN_MS);
    try {
      await query(pool, notifyOn('recall'), [JSON.stringify({ call, from, account: accountId, key: keyId })]);
      await answered.promise;
    } finally {
      clearTimeout(timer);
      this.#calls.delete(call);
    }
    for (const id of missing) this.#isLate(id);
    return open.gave;
  }

  #heard(payload: string): void {
    const answer = parsed(answerMessage, payload);
    if (answer === null) return;
    this.#deafUntilMs.delete(answer.node);
    const open = this.#calls.get(answer.call);
    if (open === undefined) return;
    open.gave ||= answer.gave;
    open.missing.delete(answer.node);
    if (open.missing.size === 0) open.answered();
  }

  #asked(payload: string, giveBack: (place: LeasePlace) => Promise<boolean>): void {
    const asked = parsed(recallMessage, payload);
    const { id } = this.#options.node;
    if (asked === null || id === null || asked.from === id) return;
    const { call, account: accountId, key: keyId } = asked;
    this.#given({ accountId, keyId }, giveBack)
      .then((gave) => query(this.#options.pool, notifyOn('recalled'), [JSON.stringify({ call, node: id, gave })]))
      .catch((error: unknown) => {
        this.#options.logger.warn({ error: firstLine(error) }, 'the response to a recall of leases could not be sent');
      });
  }

  async #given(place: LeasePlace, giveBack: (place: LeasePlace) => Promise<boolean>): Promise<boolean> {
    const { accountId } = place;
    const before = this.#giving.get(accountId);
    const giving = (async () => {
      const gaveBefore = (await before) === true;
      await this.#options.underWay(place);
      // A granted lease must reach its wallet first.
      await new Promise((resolve) => setImmediate(resolve));
      return (await giveBack(place).catch(() => false)) || gaveBefore;
    })();
    this.#giving.set(accountId, giving);
    const gave = await giving;
    if (this.#giving.get(accountId) === giving) this.#giving.delete(accountId);
    return gave;
  }

  #isDeaf(id: string): boolean {
    return (this.#deafUntilMs.get(id) ?? 0) > this.#options.clock.monotonicMs();
  }

  #isLate(id: string): void {
    if (this.#deafUntilMs.size >= MOST_DEAF) this.#deafUntilMs.clear();
    this.#deafUntilMs.set(id, this.#options.clock.monotonicMs() + DEAF_FOR_MS);
  }
}

/** Returns the message; `null` for the empty one after a reconnect and for messages of other versions. */
function parsed<Message>(schema: z.ZodType<Message>, payload: string): Message | null {
  if (payload === '') return null;
  try {
    return schema.safeParse(JSON.parse(payload)).data ?? null;
  } catch {
    return null;
  }
}
