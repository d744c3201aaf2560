import { Failure } from '../../domain/failure/failure.ts';
import type { Ledger } from '../ports/ledger.ts';
import { fromLedger } from './ledger-away.ts';

export async function insufficientBalance(
  ledger: Ledger,
  accountId: string,
  estimatedCostNanoUsd: bigint,
): Promise<Failure> {
  const { balanceNanoUsd } = await fromLedger(() => ledger.balance(accountId));
  return new Failure('insufficient_balance', {
    message: "The account's balance does not cover what this request may cost.",
    hint: 'Add credit to the account, or send a shorter request with a lower bound on its output.',
    balanceNanoUsd,
    estimatedCostNanoUsd,
  });
}

export function quotaExceeded(estimatedCostNanoUsd: bigint): Failure {
  return new Failure('quota_exceeded', {
    message: "What is left of this API key's limit does not cover what this request may cost.",
    hint: 'Raise the limit of the key, use another key, or send a request with a lower bound on its output.',
    estimatedCostNanoUsd,
  });
}

export function withoutPrice(modelId: string): Failure {
  return new Failure('model_not_allowed', {
    message: `The model \`${modelId}\` has no price, so an account that pays in advance cannot use it.`,
    param: 'model',
    kind: 'model_without_price',
    hint: 'The operator can give it one: `pricing` of the model in the configuration.',
  });
}
