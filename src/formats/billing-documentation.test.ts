import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Failure } from '../domain/failure/failure.ts';
import { clientFormats } from './index.ts';

const page = await Bun.file(join(import.meta.dir, '../../docs/billing.md')).text();
const bodies = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json));

const refused = new Failure('insufficient_balance', {
  message: 'Insufficient balance for this request.',
  hint: 'Add credit to the account, or send a shorter request with a lower bound on its output.',
  balanceNanoUsd: 1_200_000n,
  estimatedCostNanoUsd: 2_450_000n,
});

describe('the 402 of docs/billing.md matches the response', () => {
  test.each([
    ['openai-chat', 0],
    ['openai-responses', 0],
    ['anthropic-messages', 1],
    ['gemini', 2],
  ])('in %s', (name, index) => {
    const format = [...clientFormats.values()].find((known) => known.name === name);
    const rendered = format?.encodeFailure(refused);
    expect(rendered?.status).toBe(402);
    expect(JSON.parse(rendered?.body ?? '')).toEqual(bodies[index]);
  });
});
