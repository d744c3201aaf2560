import { describe, expect, test } from 'bun:test';
import { chooseModel, examineRules } from './choose-model.ts';
import { type ModelRule, RULE_EFFORTS, type RuleConditions, type RuleFacts } from './model-rule.ts';
import { placeOf } from './share.ts';
import { seededRandom } from './testing/seeded-random.ts';

/** Monday, 12:30 UTC. */
const MONDAY_MS = Date.UTC(2026, 5, 1, 12, 30);

function factsOf(given: Partial<RuleFacts> = {}): RuleFacts {
  return {
    ...{
      atMs: MONDAY_MS,
      accountId: 'acme',
      role: 'User',
      keyId: 'ci',
      format: 'openai-chat',
      stream: false,
      tags: [],
    },
    inputTokens: () => 100,
    tools: () => 0,
    images: () => 0,
    audio: () => 0,
    files: () => 0,
    reasoningEffort: () => 'unset',
    identity: (by) => by,
    ...given,
  };
}

const rule = (when: RuleConditions | null, model: string): ModelRule => ({ name: null, when, model });

function modelsOf(all: Readonly<Record<string, readonly ModelRule[]>>, missing: readonly string[] = []) {
  return {
    rulesOf: (id: string) => all[id] ?? null,
    isAvailable: (id: string) => !missing.includes(id),
  };
}

/** Returns the model to which one rule and the default `other` lead. */
function chosen(when: RuleConditions, given: Partial<RuleFacts> = {}): string | undefined {
  const steps = chooseModel('v', factsOf(given), modelsOf({ v: [rule(when, 'one'), rule(null, 'other')] }));
  return steps.at(-1)?.to;
}

describe('conditions', () => {
  const cases: readonly [RuleConditions, Partial<RuleFacts>, boolean][] = [
    [{ inputTokens: { min: 100, max: null } }, {}, true],
    [{ inputTokens: { min: 101, max: null } }, {}, false],
    [{ inputTokens: { min: null, max: 100 } }, {}, true],
    [{ inputTokens: { min: null, max: 100 } }, { inputTokens: () => null }, false],
    [{ tools: true }, { tools: () => 3 }, true],
    [{ tools: false }, { tools: () => 3 }, false],
    [{ tools: false }, {}, true],
    [{ tools: { min: 2, max: 4 } }, { tools: () => 5 }, false],
    [{ images: true }, { images: () => 1 }, true],
    [{ audio: true }, {}, false],
    [{ files: false }, { files: () => null }, false],
    [{ stream: true }, { stream: true }, true],
    [{ reasoningEffort: ['high', 'max'] }, { reasoningEffort: () => 'max' }, true],
    [{ reasoningEffort: ['high'] }, {}, false],
    [{ reasoningEffort: ['unset'] }, {}, true],
    [{ roles: ['VIP'] }, { role: 'VIP' }, true],
    [{ roles: ['VIP'] }, {}, false],
    [{ accounts: ['acme', 'other'] }, {}, true],
    [{ keys: ['acme/ci'] }, {}, true],
    [{ keys: ['acme/ci'] }, { accountId: 'mallory' }, false],
    [{ formats: ['gemini'] }, {}, false],
    [{ tags: ['team=a', 'team=b', 'tier=*'] }, { tags: ['team=b', 'tier=gold'] }, true],
    [{ tags: ['team=a', 'tier=*'] }, { tags: ['team=a'] }, false],
    [{ tags: ['team=*'] }, { tags: ['teams=a'] }, false],
    [{ time: { days: ['mon'], from: 0, to: 1_440, zone: 'UTC' } }, {}, true],
    [{ time: { days: [], from: 750, to: 751, zone: 'UTC' } }, {}, true],
    [{ time: { days: [], from: 749, to: 750, zone: 'UTC' } }, {}, false],
    [{ time: { days: [], from: 870, to: 871, zone: 'Europe/Berlin' } }, {}, true],
    [{ time: { days: ['sun'], from: 1_320, to: 780, zone: 'UTC' } }, {}, true],
    [{ time: { days: ['mon'], from: 1_320, to: 780, zone: 'UTC' } }, {}, false],
    [{ time: { days: ['tue'], from: 0, to: 1_440, zone: 'Asia/Tokyo' } }, { atMs: MONDAY_MS + 3 * 3_600_000 }, true],
    [{ share: { percent: 0, by: 'account' } }, {}, false],
    [{ share: { percent: 100, by: 'account' } }, {}, true],
    [{ stream: false, roles: ['VIP'] }, {}, false],
    [{}, {}, true],
  ];
  test.each(cases)('%j with %j', (when, given, holds) => {
    expect(chosen(when, given)).toBe(holds ? 'one' : 'other');
  });
});

describe('chooseModel', () => {
  test('leaves a model without rules', () => {
    expect(chooseModel('plain', factsOf(), modelsOf({}))).toEqual([]);
  });

  test('follows virtual models to the last one, and says why', () => {
    const models = modelsOf({
      v: [rule({ inputTokens: { min: 50, max: null } }, 'w'), rule(null, 'x')],
      w: [rule({ stream: true }, 'y'), { name: 'the rest', when: null, model: 'z' }],
    });
    expect(chooseModel('v', factsOf(), models)).toEqual([
      { from: 'v', to: 'w', rule: 0, why: 'rule 1: input_tokens 100 (at least 50)' },
      { from: 'w', to: 'z', rule: 1, why: 'the default "the rest"' },
    ]);
  });

  test('gives a reason that names no other accounts, keys or tags', () => {
    const when = { accounts: ['acme', 'rival'], keys: ['acme/ci', 'rival/prod'], tags: ['team=a', 'team=secret'] };
    const models = modelsOf({ v: [rule(when, 'x'), rule(null, 'y')] });
    const [step] = chooseModel('v', factsOf({ tags: ['team=a'] }), models);
    expect(step?.why).toBe('rule 1: accounts acme, keys acme/ci, tags team=a');
  });

  test('ends at a model that leads to itself', () => {
    const models = modelsOf({ v: [rule({ stream: true }, 'x'), rule(null, 'v')] });
    expect(chooseModel('v', factsOf(), models).map(({ to }) => to)).toEqual(['v']);
  });

  test('ends after a bounded number of steps even in a cycle', () => {
    const models = modelsOf({ v: [rule(null, 'w')], w: [rule(null, 'v')] });
    expect(chooseModel('v', factsOf(), models)).toHaveLength(4);
  });

  test('skips rules whose model is not available', () => {
    const models = modelsOf({ v: [rule({}, 'gone'), rule(null, 'x')] }, ['gone']);
    expect(chooseModel('v', factsOf(), models).map(({ to }) => to)).toEqual(['x']);
  });

  test('makes no step if the default is not available either', () => {
    expect(chooseModel('v', factsOf(), modelsOf({ v: [rule(null, 'gone')] }, ['gone']))).toEqual([]);
  });

  test('computes only the facts that it compares, and none behind a condition that does not hold', () => {
    const never = (): never => {
      throw new Error('the fact was computed');
    };
    const facts = factsOf({ inputTokens: never, images: never, audio: never, files: never, identity: never });
    const rules = [rule({ stream: true, inputTokens: { min: 1, max: null } }, 'x'), rule({ tools: true }, 'y')];
    expect(chooseModel('v', facts, modelsOf({ v: [...rules, rule(null, 'z')] })).at(-1)?.to).toBe('z');
  });

  test('takes the rule that the examination of all rules takes', () => {
    const random = seededRandom(42);
    const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
    const condition = (): RuleConditions =>
      pick<() => RuleConditions>([
        () => ({ stream: random() < 0.5 }),
        () => ({ tools: random() < 0.5 }),
        () => ({ inputTokens: { min: Math.floor(random() * 1_000), max: null } }),
        () => ({ reasoningEffort: [pick(RULE_EFFORTS)] }),
        () => ({ roles: [pick(['User', 'Partner', 'VIP'] as const)] }),
        () => ({ share: { percent: random() * 100, by: pick(['session', 'user', 'key', 'account'] as const) } }),
      ])();
    for (let round = 0; round < 500; round++) {
      const count = Math.floor(random() * 6);
      const rules = Array.from({ length: count }, (_, index) => rule({ ...condition(), ...condition() }, `m${index}`));
      const all = [...rules, rule(null, 'last')];
      const tokens = Math.floor(random() * 1_000);
      const facts = factsOf({
        stream: random() < 0.5,
        tools: () => Math.floor(random() * 2),
        inputTokens: () => tokens,
        reasoningEffort: () => 'high',
        identity: () => `s${round}`,
      });
      const fixed = { ...facts, tools: () => round % 2 };
      const models = modelsOf({ v: all }, [`m${round % 6}`]);
      const taken = examineRules('v', all, fixed, models).filter(({ verdict }) => verdict === 'taken');
      expect(taken).toHaveLength(1);
      expect(chooseModel('v', fixed, models)[0]?.rule).toBe(taken[0]?.rule);
    }
  });
});

describe('shares', () => {
  const sideOf = (percent: number, by: 'session' | 'account', identity: string) =>
    chosen({ share: { percent, by } }, { identity: (asked) => (asked === 'session' ? identity : 'fixed') });

  test.each([1, 10, 50, 90])('%d percent of many sessions are on one side', (percent) => {
    const count = 20_000;
    let hits = 0;
    for (let index = 0; index < count; index++) if (sideOf(percent, 'session', `session-${index}`) === 'one') hits++;
    // Five standard deviations of a fair draw. The hash is fixed, so the number is always the same.
    const spread = 5 * Math.sqrt((count * percent * (100 - percent)) / 10_000);
    expect(Math.abs(hits - (count * percent) / 100)).toBeLessThan(spread);
  });

  test('a session stays on its side, and the first ones of a growing share stay in it', () => {
    for (let index = 0; index < 1_000; index++) {
      const session = `session-${index}`;
      expect(sideOf(30, 'session', session)).toBe(sideOf(30, 'session', session) as string);
      if (sideOf(10, 'session', session) === 'one') expect(sideOf(20, 'session', session)).toBe('one');
    }
  });

  test('changed session ids do not change the side of a share by account', () => {
    const sides = new Set(Array.from({ length: 100 }, (_, index) => sideOf(50, 'account', `session-${index}`)));
    expect(sides.size).toBe(1);
  });

  test('two rules draw independently', () => {
    let both = 0;
    for (let index = 0; index < 10_000; index++) {
      const of = (to: string) => placeOf(JSON.stringify(['v', to, 'session', `s${index}`])) < 50;
      if (of('one') && of('two')) both++;
    }
    expect(Math.abs(both - 2_500)).toBeLessThan(250);
  });
});
