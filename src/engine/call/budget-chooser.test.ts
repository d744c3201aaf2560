import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { Budget } from '../../domain/money/budget.ts';
import type { Directory } from '../directory/directory.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { BudgetChooser } from './budget-chooser.ts';

const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  large: ['chat.completions', 'responses'],
  small: ['chat.completions', 'responses'],
  painter: ['chat.completions', 'responses', 'images.generations'],
  vectors: ['embeddings'],
};
const directory = {
  servedModel: (id: string) => ({ id, operations: OPERATIONS[id] }),
  visibleModel: (id: string) => ({ id }),
  mayCost: () => true,
} as unknown as Directory;

const reroute = { modelId: 'small', atPercent: 100, ceilingNanoUsd: null };
const budget: Budget = { amountNanoUsd: 1n, per: 'day', timeZone: 'UTC', reroute };
const call = { directory, principal: { account: sampleAccount({ budget }), credential: sampleCredential() } };
const refusal = new Failure('quota_exceeded', { message: 'No budget.', kind: 'account_budget' });
const chooser = new BudgetChooser({
  wallets: { hasReached: () => true, learn: async () => {} },
  clock: { nowMs: () => 0 },
  settings: { privateChannelFeeNanoUsd: 0n },
});

test('a spent budget gives its cheaper model to requests for a model with the same operations', () => {
  expect(chooser.choose({ modelId: 'large' }, call)).toMatchObject({ modelId: 'small' });
  for (const modelId of ['small', 'vectors', null]) expect(chooser.choose({ modelId }, call)).toBeNull();
});

test('a request for a model with further operations gets it only after its reservation was refused', () => {
  expect(chooser.choose({ modelId: 'painter' }, call)).toBeNull();
  expect(chooser.afterRefusal(refusal, 'painter', call)).toMatchObject({ modelId: 'small' });
  expect(chooser.afterRefusal(refusal, 'vectors', call)).toBeNull();
  const other = new Failure('quota_exceeded', { message: 'No money.' });
  expect(chooser.afterRefusal(other, 'large', call)).toBeNull();
});
