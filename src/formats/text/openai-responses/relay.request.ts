import { isUsualMember } from '../../../domain/exchange/features.ts';
import { reasonsAt } from '../../../domain/exchange/reasoning.ts';
import type { BodyTest } from '../../format.ts';
import { type Quirk, quirksOf } from '../../quirk.ts';
import { isRecord } from '../../shared/json/record.ts';
import { anyOf, effortBreach, hasRecord, translatableLacks } from '../shared/relay-breach.ts';

type Json = Readonly<Record<string, unknown>>;

/** See `ClientFormat.relayBreach`. */
export function relayBreach(quirks: readonly Quirk[]): BodyTest | null {
  const lacks = translatableLacks(quirks);
  const logprobs = lacks.get('logprobs');
  const roles = new Set<unknown>(quirksOf(quirks, 'role').map(({ from }) => from));
  return anyOf([
    effortBreach(quirks, effortIn),
    roles.size > 0 && (({ input }: Json) => hasRecord(input, ({ role }) => roles.has(role))),
    lacks.has('reasoning-summary') &&
      (({ reasoning }: Json) => isRecord(reasoning) && (reasoning.summary ?? null) !== null),
    lacks.has('reasoning-state') &&
      ((body: Json) =>
        includes(body, 'reasoning.encrypted_content') || hasRecord(body.input, ({ type }) => type === 'reasoning')),
    logprobs !== undefined &&
      ((body: Json) =>
        includes(body, 'message.output_text.logprobs') &&
        (logprobs.while === undefined || reasonsAt(effortIn(body), logprobs.while))),
    lacks.has('verbosity') &&
      (({ text }: Json) => isRecord(text) && !isUsualMember('verbosity', text.verbosity ?? null)),
  ]);
}

function effortIn({ reasoning }: Json): unknown {
  return isRecord(reasoning) ? reasoning.effort : undefined;
}

function includes({ include }: Json, what: string): boolean {
  return Array.isArray(include) && include.includes(what);
}
