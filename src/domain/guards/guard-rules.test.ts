import { describe, expect, test } from 'bun:test';
import type { Guard, TermsRule } from './guard.ts';
import { GuardRules } from './guard-rules.ts';
import { Masks } from './masks.ts';

const rulesOf = (rules: Partial<Pick<Guard, 'patterns' | 'pii' | 'terms'>>) =>
  new GuardRules({ patterns: [], pii: [], terms: [], ...rules });
const terms = (words: readonly string[], more: Partial<TermsRule> = {}) =>
  rulesOf({
    terms: [{ name: 'words', terms: words, withinWords: false, leetspeak: false, action: 'refuse', ...more }],
  });
const found = (rules: GuardRules, text: string) => rules.findings(text).map(({ start, end }) => text.slice(start, end));

describe('terms', () => {
  test.each([
    ['BlueBird', ['BlueBird']],
    ['blu\u0435bird', ['blu\u0435bird']],
    ['ｂｌｕｅｂｉｒｄ', ['ｂｌｕｅｂｉｒｄ']],
    ['blue\u200b\u00adbird', ['blue\u200b\u00adbird']],
    ['blüebírd', ['blüebírd']],
    ['𝐛𝐥𝐮𝐞𝐛𝐢𝐫𝐝', ['𝐛𝐥𝐮𝐞𝐛𝐢𝐫𝐝']],
    ['bluebirds', []],
    ['xbluebird', []],
    ['blu3bird', []],
    ['night \n\t fall', ['night \n\t fall']],
    ['nightfall', []],
  ])('are found in %s', (text, expected) => {
    expect(found(terms(['bluebird', 'Night fall']), `see ${text}!`)).toEqual(expected);
  });

  test('can match within words, and in leetspeak', () => {
    expect(found(terms(['bluebird'], { withinWords: true }), 'bluebirds')).toEqual(['bluebird']);
    expect(found(terms(['bluebird'], { leetspeak: true }), '8lu3b1rd')).toEqual(['8lu3b1rd']);
  });

  test('of which one is in another are all found', () => {
    expect(found(terms(['he', 'she', 'hers'], { withinWords: true }), 'ushers')).toEqual(['she', 'hers']);
  });
});

test('numbers are found behind invisible characters and in digits of other scripts', () => {
  const rules = rulesOf({ pii: [{ kind: 'card', action: 'mask' }] });
  for (const text of ['4111\u200b111111111111', '４１１１ 1111 1111 1111', '٤١١١١١١١١١١١١١١١']) {
    expect(found(rules, `card ${text}.`)).toEqual([text]);
  }
});

describe('masks', () => {
  const rules = rulesOf({
    pii: [
      { kind: 'email', action: 'mask' },
      { kind: 'phone', action: 'flag' },
    ],
    patterns: [{ name: 'host-name', pattern: '[a-z]+\\.example\\.com', ignoreCase: false, action: 'mask' }],
  });

  test('give the same value the same placeholder, and the value back', () => {
    const masks = new Masks();
    const text = 'a@x.example.com, b@x.example.com, a@x.example.com at y.example.com, +49 30 123456789';
    const masked = masks.masked(text, rules.findings(text));
    expect(masked).toBe('[EMAIL_1], [EMAIL_2], [EMAIL_1] at [HOST_NAME_1], +49 30 123456789');
    expect(masks.restored(masked)).toBe(text);
    expect(masks.restored('[EMAIL_3] [EMAIL_1 [[EMAIL_2]]')).toBe('[EMAIL_3] [EMAIL_1 [b@x.example.com]');
  });

  test('know where a placeholder may have begun', () => {
    const masks = new Masks('K3_');
    masks.placeholderOf('email', 'a@example.com');
    for (const open of ['[', '[EMAIL', '[EMAIL_K3_1']) expect(masks.openAt(`x ${open}`)).toBe(2);
    for (const text of ['x [EMAIL_K3_1]', 'x [a', 'x', '', '[EMAIL_K3_2']) expect(masks.openAt(text)).toBe(text.length);
  });
});
