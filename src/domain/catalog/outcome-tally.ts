import type { OutcomeCount } from './preference.ts';

interface ModelTally {
  succeeded: number;
  readonly failedBy: Map<string | null, number>;
  readonly firstAccountId: string | null;
  hasSeveral: boolean;
}

/**
 * Adds up the outcomes of requests by model. One account's prompts can make any model fail, so if several accounts use a model,
 * the failures of the account with the most count no more than those of all others together (docs/models.md; docs/decisions/007
 * has a similar rule for the shared breaker).
 */
export class OutcomeTally {
  private readonly models = new Map<string, ModelTally>();

  add(modelId: string, accountId: string | null, succeeded: number, failed: number): void {
    let tally = this.models.get(modelId);
    if (tally === undefined) {
      tally = { succeeded: 0, failedBy: new Map(), firstAccountId: accountId, hasSeveral: false };
      this.models.set(modelId, tally);
    }
    tally.succeeded += succeeded;
    tally.hasSeveral ||= accountId !== tally.firstAccountId;
    if (failed > 0) tally.failedBy.set(accountId, (tally.failedBy.get(accountId) ?? 0) + failed);
  }

  counts(): OutcomeCount[] {
    return [...this.models].map(([modelId, tally]) => ({
      modelId,
      succeeded: tally.succeeded,
      failed: failuresThatCount(tally),
    }));
  }
}

function failuresThatCount({ failedBy, hasSeveral }: ModelTally): number {
  let sum = 0;
  let most = 0;
  for (const failed of failedBy.values()) {
    sum += failed;
    most = Math.max(most, failed);
  }
  return hasSeveral ? Math.min(sum, 2 * (sum - most)) : sum;
}
