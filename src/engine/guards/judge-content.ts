import type { Failure } from '../../domain/failure/failure.ts';
import { GuardRules } from '../../domain/guards/guard-rules.ts';
import type { CompiledGuard } from '../directory/guards-in-force.ts';
import type { CallGuard } from './call-guard.ts';
import { checkFailed, contentRefusal } from './content-refusal.ts';
import type { CheckVerdict, GuardedContent } from './guard-check.ts';

/**
 * Lets the checks of all guards judge content, at the same time. Resolves to the failure if one refuses it, or has failed and is closed then;
 * otherwise to guards whose rules mask what checks want masked.
 */
export async function judgedContent(
  call: CallGuard,
  content: GuardedContent,
): Promise<Failure | readonly CompiledGuard[]> {
  const checks = call.checksOf(content.stage);
  if (checks.length === 0 || (content.texts.length === 0 && content.images.length === 0)) return [];
  const isRequest = content.stage === 'input';
  const results = await Promise.all(
    checks.map(
      ({ guard, check }) =>
        (isRequest ? call.knownResult(guard.id, check.name) : null) ?? check.check(content, call.facts, call.signal),
    ),
  );
  const masking: CompiledGuard[] = [];
  let refusal: Failure | null = null;
  for (const [at, result] of results.entries()) {
    const { guard, check } = checks[at] as (typeof checks)[number];
    const { stage } = content;
    if ('problem' in result) {
      const isClosed = check.onFailure === 'closed';
      const rule = `${check.name}:failed`;
      call.judged({ guard: guard.id, rule, stage, action: isClosed ? 'refuse' : 'flag', count: 1 });
      call.checkFailed(guard.id, check.name, result.problem);
      if (isClosed) refusal ??= checkFailed(guard.id, check.name);
      continue;
    }
    if (isRequest) call.heard.push({ guard: guard.id, check: check.name, verdicts: result.verdicts });
    for (const verdict of result.verdicts) {
      if (verdict.action === 'mask') masking.push(maskingGuard(guard, verdict));
      else call.judged({ guard: guard.id, rule: verdict.rule, stage, action: verdict.action, count: 1 });
      if (verdict.action === 'refuse') refusal ??= contentRefusal(guard.id, verdict.rule, stage);
    }
  }
  return refusal ?? masking;
}

function maskingGuard(guard: CompiledGuard['guard'], { rule: name, texts: terms }: CheckVerdict): CompiledGuard {
  const rule = { name, terms, withinWords: true, leetspeak: false, action: 'mask' } as const;
  return { guard, rules: new GuardRules({ patterns: [], pii: [], terms: [rule] }) };
}
