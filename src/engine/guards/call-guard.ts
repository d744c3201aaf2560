import type { Failure } from '../../domain/failure/failure.ts';
import type { Guard } from '../../domain/guards/guard.ts';
import { type Finding, MOST_MATCHES } from '../../domain/guards/guard-rules.ts';
import { Masks, MOST_MASKED_VALUES } from '../../domain/guards/masks.ts';
import type { GuardStage, GuardVerdict } from '../../domain/verdicts/guard-verdict.ts';
import type { CompiledGuard, GuardsInForce } from '../directory/guards-in-force.ts';
import { contentRefusal, missingGuard, tooManyMatches } from './content-refusal.ts';
import type { CheckResult, GuardCheck, GuardChecks, GuardedCallFacts } from './guard-check.ts';
import type { KnownVerdicts } from './known-verdicts.ts';

/** Where the checks of a call come from, and what they know of it. */
export interface GuardContext {
  readonly checks: GuardChecks;
  readonly facts: GuardedCallFacts;
  readonly signal: AbortSignal;
  /** Verdicts on the request that an earlier call has heard, so that their checks are not asked again. */
  readonly known?: readonly KnownVerdicts[];
  checkFailed(guard: string, check: GuardCheck['name'], problem: string): void;
}

/** The guards of one call: those that apply, what they have found, and the values that they have masked. */
export class CallGuard {
  /** Replaced before the first value is masked, if its placeholders need a tag. */
  masks = new Masks();
  /** The verdicts of checks on the request. */
  readonly heard: KnownVerdicts[] = [];
  private readonly applied = new Map<string, CompiledGuard>();
  private readonly counted = new Map<string, GuardVerdict>();

  private isJudging = false;
  private delayed: { record(): void } | null = null;

  /** @param guards `null` if none exists, although the caller names some */
  constructor(
    private readonly guards: GuardsInForce | null,
    private readonly context: GuardContext,
  ) {}

  get facts(): GuardedCallFacts {
    return this.context.facts;
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    return this.context.signal;
  }

  /** Returns the asynchronous checks of a stage, in the order in which their guards apply. */
  checksOf(stage: GuardStage): readonly { readonly guard: Guard; readonly check: GuardCheck }[] {
    return this.of(stage).flatMap(({ guard }) => this.context.checks.of(guard).map((check) => ({ guard, check })));
  }

  /** Returns what a check has said of the request in an earlier call; `null` if it has to be asked. */
  knownResult(guard: string, check: GuardCheck['name']): CheckResult | null {
    return this.context.known?.find((one) => one.guard === guard && one.check === check) ?? null;
  }

  /** Logs why a check could not decide. */
  checkFailed(guard: string, check: GuardCheck['name'], problem: string): void {
    this.context.checkFailed(guard, check, problem);
  }

  /** Begins to delay the record of the call until its response is judged, if guards check it. */
  judgesResponse(): void {
    this.isJudging = this.of('output').length > 0;
  }

  /** Returns whether the record of a call has to wait for the verdicts about its response. */
  delays(record: { record(): void }): boolean {
    if (this.isJudging) this.delayed = record;
    return this.isJudging;
  }

  /** The response is judged, or there is none: the call can be recorded. */
  concluded(): void {
    this.isJudging = false;
    const { delayed } = this;
    this.delayed = null;
    delayed?.record();
  }

  /** Adds guards, each once. Returns the failure for one that does not exist. */
  apply(ids: readonly string[]): Failure | null {
    for (const id of ids) {
      if (this.applied.has(id)) continue;
      const guard = this.guards?.find(id) ?? null;
      if (guard === null) return missingGuard(id);
      this.applied.set(id, guard);
    }
    return null;
  }

  /** Returns the guards of a stage, in the order in which they apply. */
  of(stage: GuardStage): readonly CompiledGuard[] {
    return [...this.applied.values()].filter(({ guard }) => guard.stages.includes(stage));
  }

  /**
   * Throws if a model is to be asked whose guards have not checked the request. `reachableModels` has found all models before; this makes
   * sure of it.
   */
  requireFor(modelId: string): void {
    const missing = this.guards?.ofModel(modelId).find((id) => !this.applied.has(id));
    if (missing !== undefined) throw new Error(`the guard "${missing}" of the model has not checked the request`);
  }

  /** The verdicts of all rules that have matched something; one for each rule, stage and action. */
  get verdicts(): readonly GuardVerdict[] {
    return [...this.counted.values()];
  }

  /** Records a verdict; those of the same rule are summed. */
  judged(verdict: GuardVerdict): void {
    const key = `${verdict.guard} ${verdict.stage} ${verdict.action} ${verdict.rule}`;
    const { count = 0 } = this.counted.get(key) ?? {};
    this.counted.set(key, { ...verdict, count: count + verdict.count });
  }

  /** Records the findings of a guard's rules in a text. Returns the failure if one of them refuses it. */
  found({ guard }: CompiledGuard, stage: GuardStage, findings: readonly Finding[]): Failure | null {
    let refusal: Failure | null = null;
    const counts = new Map<string, number>();
    for (const { rule, action } of findings) {
      this.judged({ guard: guard.id, rule, stage, action, count: 1 });
      const count = (counts.get(rule) ?? 0) + 1;
      counts.set(rule, count);
      if (action === 'refuse') refusal ??= contentRefusal(guard.id, rule, stage);
      else if (count >= MOST_MATCHES) refusal ??= tooManyMatches(guard.id, rule, MOST_MATCHES);
    }
    if (this.masks.size <= MOST_MASKED_VALUES) return refusal;
    return refusal ?? tooManyMatches(guard.id, findings.at(-1)?.rule ?? '', MOST_MASKED_VALUES);
  }
}
