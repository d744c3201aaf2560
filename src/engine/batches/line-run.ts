import type { BatchUsage, NotedCharge } from '../../domain/batches/batch.ts';
import { NO_BATCH_USAGE } from '../../domain/batches/batch.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import { amountOf, type Billable, completionTokensOf, promptTokensOf } from '../../domain/money/quantity.ts';
import type { BatchedCall } from '../call/batched-call.ts';
import type { WholeResponse } from '../call/lane.ts';
import type { LineRelay } from '../call/line-relay.ts';
import type { Charge } from '../ports/ledger.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import type { BatchSettings } from '../settings/settings.ts';
import { resultLine } from './batch-line.ts';

/** Thrown if another process has taken the batch over, so that this one must not charge. */
export class BatchLost extends Error {}

/** The result of a line whose process ends between its charge and the guards of its response, so that nobody may read it. */
const UNCHECKED = JSON.stringify({
  error: {
    message:
      'The gateway stopped before the guards had checked the response, which was charged. Send the request again.',
    ...{ type: 'server_error', param: null, code: 'response_lost' },
  },
});

export interface LineRunFacts {
  readonly batchId: string;
  readonly requestId: string;
  readonly number: number;
  readonly customId: string;
  readonly settings: BatchSettings;
  /** How the line goes into a batch of its provider, or comes from one; `null` if neither can be. */
  readonly relay: LineRelay | null;
  /** Aborted when the line is not to wait any longer. */
  readonly signal: AbortSignal;
  /** Waits without a place; resolves to `false` if the line is not to wait. */
  readonly wait: (ms: number) => Promise<boolean>;
  /** Stores the charge; resolves to `false` if another process has taken the batch over. */
  readonly note: (noted: NotedCharge) => Promise<boolean>;
}

/** One run of a line: hears of its answer, its charge and its record. */
export class LineRun implements BatchedCall {
  record: RequestRecord | null = null;
  failure: Failure | null = null;
  /** Whether the charge was stored, so that the line must never be run again. */
  isNoted = false;
  private answer: Pick<WholeResponse, 'body' | 'status' | 'billable'> | null = null;
  private isChecked = true;

  constructor(private readonly facts: LineRunFacts) {}

  get batchId(): string {
    return this.facts.batchId;
  }

  get requestId(): string {
    return this.facts.requestId;
  }

  get sharePercent(): number {
    return this.facts.settings.sharePercent;
  }

  get signal(): AbortSignal {
    return this.facts.signal;
  }

  get relay(): LineRelay | null {
    return this.facts.relay;
  }

  pricePercent(model: Pick<Model, 'batchPricePercent'>): number {
    if (this.facts.relay !== null && this.facts.relay.given !== null) return this.relayPricePercent(model);
    return model.batchPricePercent ?? this.facts.settings.pricePercent;
  }

  relayPricePercent({ batchPricePercent }: Pick<Model, 'batchPricePercent'>): number {
    return batchPricePercent ?? this.facts.settings.relayPricePercent;
  }

  wait(ms: number): Promise<boolean> {
    return this.facts.wait(ms);
  }

  answers(answer: Pick<WholeResponse, 'body' | 'status' | 'billable'>, isGuarded: boolean): void {
    this.answer = answer;
    this.isChecked = !isGuarded;
  }

  async charging(charge: Charge): Promise<void> {
    const { answer, facts } = this;
    if (answer === null) throw new Error('a line is charged without an answer');
    const { status = 200, billable } = answer;
    const json = this.isChecked ? this.resultOf(status, textOf(answer.body)) : this.resultOf(502, UNCHECKED);
    const { costNanoUsd } = charge;
    const usage = usageOf(billable);
    // The store may have written it although it has thrown, so the line is not run again.
    this.isNoted = true;
    if (await facts.note({ number: facts.number, json, costNanoUsd, usage, charge: chargeText(charge) })) return;
    throw new BatchLost();
  }

  recorded(record: RequestRecord, failure: Failure | null): void {
    this.record = record;
    this.failure = failure;
  }

  /** Returns the line of the output or error file. */
  resultOf(status: number, body: string): string {
    const { batchId, number, customId, requestId } = this.facts;
    return resultLine({ batchId, number, customId, requestId, status, body });
  }

  get usage(): BatchUsage {
    return usageOf(this.record?.billable ?? null);
  }
}

export function textOf(body: Uint8Array | string): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body);
}

function usageOf(billable: Billable | null): BatchUsage {
  if (billable === null) return NO_BATCH_USAGE;
  return {
    inputTokens: promptTokensOf(billable),
    cachedTokens: amountOf(billable, 'cached_input_token'),
    outputTokens: completionTokensOf(billable),
    reasoningTokens: amountOf(billable, 'reasoning_token'),
  };
}

/** Returns the charge as it is stored with its line. */
export function chargeText(charge: Charge): string {
  return JSON.stringify({
    ...charge,
    costNanoUsd: String(charge.costNanoUsd),
    fromAccountLease: '0',
    fromKeyLease: '0',
  });
}

/**
 * Returns the charge that was stored. It names no leases: those of the process that has died are free again, so that the amount is taken
 * from the balance itself.
 */
export function chargeFrom(text: string): Charge {
  // Only `chargeText` writes it.
  const stored = JSON.parse(text) as Omit<Charge, 'costNanoUsd'> & { readonly costNanoUsd: string };
  const { budgets } = stored;
  const charge = { ...stored, costNanoUsd: BigInt(stored.costNanoUsd), fromAccountLease: 0n, fromKeyLease: 0n };
  return budgets === undefined ? charge : { ...charge, budgets: { ...budgets, account: null, key: null } };
}
