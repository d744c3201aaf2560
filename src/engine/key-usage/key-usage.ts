import type { Principal } from '../../domain/access/principal.ts';
import { RecentAnswers } from '../../domain/concurrency/recent-answers.ts';
import { Turns } from '../../domain/concurrency/turns.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { budgetWindow, DEFAULT_TIME_ZONE } from '../../domain/money/budget.ts';
import type { Caller } from '../access/caller.ts';
import { AdminError } from '../admin/admin-error.ts';
import { type KeptSums, keptSums, monthSpan } from '../admin/usage/usage-spans.ts';
import { type AdmittedCallPorts, type AdmittedResult, admittedCall } from '../call/admitted-call.ts';
import type { RetentionStore } from '../ports/retention-store.ts';
import { creditGrantsView, deepSeekBalanceView, liteLlmKeyView, newApiTokenView } from './copied-balances.ts';
import { billingUsageView, openRouterCreditsView, openRouterKeyView, subscriptionView } from './copied-views.ts';
import { costsIn, dailyCosts } from './daily-costs.ts';
import { keyView, usageView } from './own-views.ts';
import { periodSums, type SumsPorts, sumsOf, type WantedPeriod } from './read-sums.ts';
import { type SpendingPorts, spendingOf, type UsageScope } from './spending.ts';
import { parseBillingPeriod, parseUsageQuery, type UsageQueryFields } from './usage-query.ts';

export interface KeyUsagePorts extends AdmittedCallPorts {
  readonly ledger: SpendingPorts;
  readonly usage: SumsPorts;
  readonly retention: Pick<RetentionStore, 'thinning'>;
  /** How long per-minute and per-hour sums are kept. */
  readonly kept: Parameters<typeof keptSums>[0];
  /** Returns the failure for an error of the store, or throws any other error. */
  readonly storeFailure: (error: unknown) => Failure;
}

/** The documents that a key can read about itself. */
export const USAGE_DOCUMENTS = [
  'usage',
  'key',
  'billing-usage',
  'subscription',
  'openrouter-key',
  'openrouter-credits',
  'credit-grants',
  'deepseek-balance',
  'new-api-token',
  'litellm-key',
] as const;
export type UsageDocument = (typeof USAGE_DOCUMENTS)[number];

/** How old a shared answer may be. */
const FRESH_MS = 1_000;
const BOUNDS = { longestMs: FRESH_MS, mostKept: 2_000, mostCharacters: 16_000_000 };
/** Longer queries are refused, since answers are kept under them. */
const LONGEST_QUERY = 1_000;
/** The most reads of one account that are running or waiting. */
const MOST_READS = 20;
const READ_RETRY_MS = 1_000;

/**
 * Serves what a key may know about its own spending (docs/usage-with-a-key.md). Everything comes from sums that are kept with each charge; nothing
 * reads the request log. Equal requests within a second share one read.
 */
export class KeyUsage {
  private readonly recent = new RecentAnswers(BOUNDS);
  /** The reads of an account follow each other, so that no other account waits for more than one of them. */
  private readonly turns = new Turns();
  /** The number of running and waiting reads by account; accounts without any are absent. */
  private readonly reads = new Map<string, number>();

  constructor(private readonly ports: KeyUsagePorts) {}

  /** Resolves to a document as JSON text. */
  read(caller: Caller, document: UsageDocument, query: URLSearchParams): Promise<AdmittedResult<string>> {
    return admittedCall(this.ports, caller, async (principal) => {
      if (principal.credential.usageAccess === 'none') return usageHidden();
      const text = query.toString();
      if (text.length > LONGEST_QUERY) return queryTooLong();
      const make = this.maker(principal, document, query);
      if (make instanceof Failure) return make;
      try {
        return await this.shared(principal, `${document}?${text}`, make);
      } catch (error) {
        return error instanceof AdminError ? invalid(error) : this.ports.storeFailure(error);
      }
    });
  }

  private shared(principal: Principal, name: string, make: () => Promise<object>): Promise<string | Failure> {
    const { account, credential, secretEndsAtMs } = principal;
    // A key that may read less than before must not be given what it could read a moment ago.
    const key = JSON.stringify([account.id, credential.id, credential.usageAccess, secretEndsAtMs ?? null, name]);
    return this.recent.get<Failure>(key, this.ports.clock.nowMs(), FRESH_MS, () => this.inTurn(account.id, make));
  }

  private inTurn(accountId: string, make: () => Promise<object>): Promise<string> | Failure {
    const reads = this.reads.get(accountId) ?? 0;
    if (reads >= MOST_READS) return tooManyReads();
    this.reads.set(accountId, reads + 1);
    return this.turns
      .run(accountId, async () => JSON.stringify(await make()))
      .finally(() => {
        const others = (this.reads.get(accountId) ?? 1) - 1;
        if (others > 0) this.reads.set(accountId, others);
        else this.reads.delete(accountId);
      });
  }

  /** Returns what makes the document, once its query is checked. */
  private maker(
    principal: Principal,
    document: UsageDocument,
    query: URLSearchParams,
  ): (() => Promise<object>) | Failure {
    const nowMs = this.ports.clock.nowMs();
    switch (document) {
      case 'usage': {
        const wanted = parseUsageQuery(query, principal, nowMs);
        return wanted instanceof Failure ? wanted : () => this.usage(principal, wanted);
      }
      case 'key':
        return async () => keyView(principal, await this.spending(principal, scopeOf(principal)));
      case 'billing-usage': {
        const wanted = parseBillingPeriod(query, nowMs);
        return wanted instanceof Failure ? wanted : () => this.billingUsage(principal, wanted);
      }
      case 'subscription':
        return () => this.subscription(principal);
      case 'openrouter-key':
        return () => this.openRouterKey(principal);
      case 'openrouter-credits':
        if (!mayReadCredits(principal)) return noCredits();
        return async () => openRouterCreditsView(principal, await this.spending(principal, scopeOf(principal)));
      case 'credit-grants':
        return async () => creditGrantsView(await this.spending(principal, scopeOf(principal)));
      case 'deepseek-balance':
        return async () => deepSeekBalanceView(await this.spending(principal, scopeOf(principal)));
      case 'new-api-token':
        return async () => newApiTokenView(principal, await this.spending(principal, scopeOf(principal)));
      case 'litellm-key':
        return async () => liteLlmKeyView(principal, await this.spending(principal, 'key'));
    }
  }

  private async usage(principal: Principal, wanted: UsageQueryFields) {
    const { scope } = wanted;
    const kept = await this.kept();
    const [sums, spending] = await Promise.all([
      periodSums(this.ports.usage, sumsOf(principal, scope), { ...wanted, kept }),
      this.spending(principal, scope),
    ]);
    return usageView(principal, wanted, { spending, sums });
  }

  private async billingUsage(principal: Principal, period: WantedPeriod) {
    const { usage, clock } = this.ports;
    const wanted = { ...period, nowMs: clock.nowMs(), kept: await this.kept() };
    const { days, totalNanoUsd } = await dailyCosts(usage, sumsOf(principal, scopeOf(principal)), wanted);
    return billingUsageView(days, totalNanoUsd);
  }

  private async subscription(principal: Principal) {
    const scope = scopeOf(principal);
    const month = monthSpan(this.ports.clock.nowMs(), DEFAULT_TIME_ZONE);
    const [spending, [monthNanoUsd = 0n]] = await Promise.all([
      this.spending(principal, scope),
      costsIn(this.ports.usage, sumsOf(principal, scope), [month]),
    ]);
    return subscriptionView(principal, spending, monthNanoUsd);
  }

  private async openRouterKey(principal: Principal) {
    const nowMs = this.ports.clock.nowMs();
    const spans = (['day', 'week', 'month'] as const).map((per) => {
      const { startsAtMs: fromMs, endsAtMs: toMs } = budgetWindow({ per, timeZone: DEFAULT_TIME_ZONE }, nowMs);
      return { fromMs, toMs };
    });
    const [spending, [dayNanoUsd = 0n, weekNanoUsd = 0n, monthNanoUsd = 0n]] = await Promise.all([
      this.spending(principal, 'key'),
      costsIn(this.ports.usage, sumsOf(principal, 'key'), spans),
    ]);
    return openRouterKeyView(principal, spending, { dayNanoUsd, weekNanoUsd, monthNanoUsd });
  }

  private spending(principal: Principal, scope: UsageScope) {
    return spendingOf(this.ports.ledger, principal, scope, this.ports.clock.nowMs());
  }

  private async kept(): Promise<KeptSums> {
    const { retention, kept, clock } = this.ports;
    return keptSums(kept, await retention.thinning(), clock.nowMs());
  }
}

function scopeOf({ credential }: Principal): UsageScope {
  return credential.usageAccess === 'account' ? 'account' : 'key';
}

/** Returns whether there is anything that may be told as credits: the account's balance, or a limit of the key. */
function mayReadCredits({ credential }: Principal): boolean {
  return credential.usageAccess === 'account' || credential.limitNanoUsd !== null || credential.budget !== null;
}

function usageHidden(): Failure {
  return new Failure('access_denied', {
    message: 'This key may not read its usage.',
    kind: 'usage_access',
    hint: 'An admin can set `usage_access` of the key to `key` or `account`.',
  });
}

function noCredits(): Failure {
  return new Failure('access_denied', {
    message: 'This key has no limit of its own, and may not read the balance of its account.',
    kind: 'usage_access',
    hint: 'An admin can set `usage_access` of the key to `account`, or give the key a limit.',
  });
}

function queryTooLong(): Failure {
  return new Failure('invalid_value', {
    message: `The query must have at most ${LONGEST_QUERY} characters.`,
    hint: 'Leave out parameters that docs/usage-with-a-key.md does not list.',
  });
}

function invalid({ field, message }: AdminError): Failure {
  return new Failure('invalid_value', { message: `${message}.`, param: field });
}

function tooManyReads(): Failure {
  return new Failure('rate_limit_exceeded', {
    message: `${MOST_READS} requests of this account already wait for its usage.`,
    kind: 'usage_reads_in_flight',
    side: 'client',
    retry: 'never',
    retryAfterMs: READ_RETRY_MS,
    hint: 'Send the request again when they have ended.',
  });
}
