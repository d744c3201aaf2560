import { type Billable, ONE_REQUEST, type Quantity, type Unit } from '../domain/money/quantity.ts';
import type { Chance } from './chance.ts';
import type { Customer } from './customers.ts';
import type { ChatModel, DemoModel } from './models.ts';

/** An upstream's answer, with times since it was asked. */
export interface DemoAnswer {
  readonly billable: Billable;
  readonly firstByteMs: number;
  readonly latencyMs: number;
  readonly clientGone: boolean;
}

interface Asked {
  readonly profile: DemoModel['profile'];
  readonly customer: Customer;
  readonly stream: boolean;
  readonly slowness: number;
}

const GONE = 0.011;

export function answerOf(chance: Chance, { profile, customer, stream, slowness }: Asked): DemoAnswer {
  if (profile.kind === 'chat') return chatAnswer(chance, profile, customer, stream, slowness);
  const latencyMs = chance.spread(profile.latencyMs, 0.35) * slowness;
  const billable = { quantities: profile.quantities(chance), source: 'reported' } as const;
  return { billable, firstByteMs: latencyMs - 1, latencyMs, clientGone: false };
}

function chatAnswer(
  chance: Chance,
  model: ChatModel,
  { promptCached }: Customer,
  stream: boolean,
  slowness: number,
): DemoAnswer {
  const prompt = Math.max(8, Math.round(chance.spread(model.inputTokens, 0.85)));
  const cached = prompt > 1_024 && chance.happens(promptCached) ? Math.round(prompt * chance.between(0.4, 0.93)) : 0;
  const isWritten = model.writesCache && prompt > 1_024 && chance.happens(0.3);
  const written = isWritten ? Math.round((prompt - cached) * chance.between(0.3, 0.9)) : 0;
  const output = Math.max(1, Math.round(chance.spread(model.outputTokens, 0.75)));
  const thought = chance.happens(model.reasons) ? Math.round(output * chance.between(0.3, 1.8)) : 0;
  const clientGone = stream && chance.happens(GONE);
  const heard = clientGone ? chance.between(0.05, 0.8) : 1;
  const thinkingMs = (thought / model.tokensPerSecond) * 1_000;
  const firstMs = (chance.spread(model.firstByteMs, 0.4) + prompt * 0.02 + thinkingMs) * slowness;
  const writingMs = ((output * heard) / chance.spread(model.tokensPerSecond, 0.15)) * 1_000 * slowness;
  const quantities = [
    counted('input_token', prompt - cached - written),
    counted('cached_input_token', cached),
    counted('cache_write_token', written),
    counted('output_token', Math.max(1, Math.round(output * heard))),
    counted('reasoning_token', thought),
    ONE_REQUEST,
  ].filter(({ amount }) => amount > 0);
  const latencyMs = firstMs + writingMs;
  return {
    billable: { quantities, source: clientGone ? 'estimated' : 'reported' },
    firstByteMs: stream ? firstMs : latencyMs - 1,
    latencyMs,
    clientGone,
  };
}

function counted(unit: Unit, amount: number): Quantity {
  return { unit, amount };
}
