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

/** How long a node that lacks money waits for the others; to lower a reservation, they may have to count the tokens of a prompt. */
const ANSWERED_WITHIN_MS = 1_000;
/** How long a node that has not answered is not waited for: it is frozen, of an older version, or its pooler passes nothing on. */
const DEAF_FOR_MS = 15_000;
const MOST_DEAF = 1_000;

/** By ($1: this node, $2: account, $3: key), with one look into the index for each node. */
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
  /** Resolves when the leases and returns of these purses that are under way are done. */
  readonly underWay: (place: LeasePlace) => Promise<void>;
}

/** The answers to one call of this node. */
interface OpenCall {
  readonly missing: Set<string>;
  gave: boolean;
  readonly answered: () => void;
}

/** Asks other nodes for money that they have leased and do not need, and answers when they ask. */
export class LedgerRecalls {
  readonly #options: LedgerRecallsOptions;
  readonly #calls = new Map<string, OpenCall>();
  /** What is being given back, by account: whoever asks meanwhile is told of it, too, since it may be what is missing. */
  readonly #giving = new Map<string, Promise<boolean>>();
  /** Until when a node is not waited for, by the monotonic clock. */
  readonly #deafUntilMs = new Map<string, number>();
  #isListening = false;

  constructor(options: LedgerRecallsOptions) {
    this.#options = options;
  }

  /** `giveBack` is called for what another node lacks; resolves to whether there was anything to give. */
  onRecall(giveBack: (place: LeasePlace) => Promise<boolean>): void {
    const { notifications } = this.#options;
    notifications.on('recall', (payload) => this.#asked(payload, giveBack));
    notifications.on('recalled', (payload) => this.#heard(payload));
    this.#isListening = true;
  }

  /** Has the other nodes give back what they do not need of these purses. Resolves to whether any has given something, within a second. */
  async recall({ accountId, keyId }: LeasePlace): Promise<boolean> {
    // A command holds no leases and hears no answers.
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
        this.#options.logger.warn(
          { error: firstLine(error) },
          'another node could not be told what was given back to it',
        );
      });
  }

  async #given(place: LeasePlace, giveBack: (place: LeasePlace) => Promise<boolean>): Promise<boolean> {
    const { accountId } = place;
    const before = this.#giving.get(accountId);
    const giving = (async () => {
      const gaveBefore = (await before) === true;
      await this.#options.underWay(place);
      // What was granted has to reach its wallet first.
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

/** The message, unless it is the empty one after a connection, or something that is not of this version. */
function parsed<Message>(schema: z.ZodType<Message>, payload: string): Message | null {
  if (payload === '') return null;
  try {
    return schema.safeParse(JSON.parse(payload)).data ?? null;
  } catch {
    return null;
  }
}
