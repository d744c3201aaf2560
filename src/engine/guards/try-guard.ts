import { Failure } from '../../domain/failure/failure.ts';
import type { Guard } from '../../domain/guards/guard.ts';
import type { GuardStage, GuardVerdict } from '../../domain/verdicts/guard-verdict.ts';
import { Turns } from '../../formats/shared/json/large-json.ts';
import { GuardsInForce } from '../directory/guards-in-force.ts';
import { CallGuard } from './call-guard.ts';
import type { GuardCheck, GuardChecks } from './guard-check.ts';
import { TextGuard } from './guarded-text.ts';
import { judgedContent } from './judge-content.ts';

/** The account and the key that webhooks are told, and that moderations are counted for. */
const NOBODY = 'guard-test';

export interface GuardTrial {
  readonly text: string;
  readonly stage: GuardStage;
  readonly requestId: string;
}

export interface TriedGuard {
  /** The text with placeholders, or with asterisks for a response; or why it is refused. */
  readonly result: string | Failure;
  readonly verdicts: readonly GuardVerdict[];
  /** The checks that could not decide. */
  readonly failed: readonly { readonly check: GuardCheck['name']; readonly problem: string }[];
}

/**
 * Resolves to what a guard finds in a text of a request or a response, as in a call, without a call. Its moderation model and its webhook are asked,
 * within their own deadlines.
 */
export async function tryGuard(guard: Guard, trial: GuardTrial, checks: GuardChecks): Promise<TriedGuard> {
  const failed: { check: GuardCheck['name']; problem: string }[] = [];
  const call = new CallGuard(GuardsInForce.among([guard], []), {
    checks,
    facts: { requestId: trial.requestId, accountId: NOBODY, keyId: NOBODY },
    signal: new AbortController().signal,
    checkFailed: (_guard, check, problem) => failed.push({ check, problem }),
  });
  call.apply([guard.id]);
  const result = await checkedText(call, trial);
  return { result, verdicts: call.verdicts, failed };
}

async function checkedText(call: CallGuard, { text, stage }: GuardTrial): Promise<string | Failure> {
  const guard = new TextGuard(call, new Turns(), { stage, collects: call.checksOf(stage).length > 0 });
  const byRules = await guard.text(text);
  if (byRules instanceof Failure) return byRules;
  const { texts, images } = guard;
  const guards = await judgedContent(call, { stage, texts, images });
  if (guards instanceof Failure || guards.length === 0) return guards instanceof Failure ? guards : byRules;
  return new TextGuard(call, new Turns(), { stage, guards }).text(byRules);
}
