import { describe, expect, test } from 'bun:test';
import { RULE_FORMATS } from '../../../domain/routing/rule-formats.ts';
import { clientFormats } from '../../../formats/index.ts';
import { failureOf } from '../testing/failure-of.ts';
import { checkInput } from './check-input.ts';
import { modelFields, modelFrom, modelSchema } from './model.ts';

const parse = (rules: unknown) => modelFrom(checkInput(modelSchema, ['models', 0], { id: 'auto', rules }));
const DEFAULT = { model: 'small' };

test('the names of formats are those of the client formats, and of other operations', () => {
  const texts = [...clientFormats.keys()];
  expect(RULE_FORMATS.slice(0, texts.length).toSorted()).toEqual(texts.toSorted() as never);
});

describe('rules', () => {
  const written = [
    {
      name: 'Everything',
      when: {
        input_tokens: { min: 5, max: 10 },
        tools: { min: 2 },
        images: true,
        audio: false,
        files: true,
        reasoning_effort: ['high', 'unset'],
        stream: false,
        tags: ['team=a', 'team=*'],
        roles: ['VIP'],
        accounts: ['acme'],
        keys: ['acme/ci'],
        formats: ['gemini', 'openai-embeddings'],
        time: { days: ['mon', 'fri'], from: '22:00', to: '06:30', zone: 'Europe/Berlin' },
        share: { percent: 12.5, by: 'account' },
      },
      model: 'a/b',
    },
    { when: { tools: true }, model: 'big' },
    DEFAULT,
  ];

  test('are written as they were read', () => {
    expect(JSON.parse(JSON.stringify(modelFields(parse(written)).rules))).toEqual(written);
  });

  test('have defaults for hours and the key of a share', () => {
    const rules = [{ when: { time: { days: ['sun'], zone: 'UTC' }, share: { percent: 5 } }, model: 'x' }, DEFAULT];
    expect(parse(rules).rules?.[0]?.when).toEqual({
      time: { days: ['sun'], from: 0, to: 1_440, zone: 'UTC' },
      share: { percent: 5, by: 'session' },
    });
  });

  const first = (when: unknown) => [{ when, model: 'x' }, DEFAULT];
  test.each<[string, unknown, string]>([
    ['none', [], 'rules: must have at least one rule'],
    ['no default', [{ when: { stream: true }, model: 'x' }], 'rules[0].when: must be left out of the last rule'],
    ['two defaults', [DEFAULT, DEFAULT], 'rules[0].when: is required'],
    ['no model', [{}], 'rules[0].model: is required'],
    ['no condition', first({}), 'rules[0].when: must have at least one condition'],
    [
      'an unknown condition',
      first({ input_token: { min: 1 } }),
      'rules[0].when.input_token: unknown field (did you mean "input_tokens"?)',
    ],
    ['an empty range', first({ input_tokens: {} }), 'rules[0].when.input_tokens: must have `min`, `max` or both'],
    ['a reversed range', first({ input_tokens: { min: 5, max: 4 } }), 'rules[0].when.input_tokens: must have a `min`'],
    [
      'an unknown zone',
      first({ time: { days: ['mon'], zone: 'Europe/Atlantis' } }),
      'rules[0].when.time.zone: must be the name of a time zone',
    ],
    ['no time', first({ time: { zone: 'UTC' } }), 'rules[0].when.time: must have `days`, or hours'],
    ['an impossible time', first({ time: { from: '25:00', zone: 'UTC' } }), 'rules[0].when.time.from: must be a time'],
    [
      'a percentage that is too exact',
      first({ share: { percent: 1.234 } }),
      'rules[0].when.share.percent: must be a percentage',
    ],
    ['a percentage above 100', first({ share: { percent: 101 } }), 'rules[0].when.share.percent: must be a percentage'],
    ['a tag without a value', first({ tags: ['team'] }), 'rules[0].when.tags[0]: must be a tag such as'],
    [
      'a key without an account',
      first({ keys: ['ci'] }),
      'rules[0].when.keys[0]: must be an account and the id of one of its keys',
    ],
    [
      'too many rules',
      [...Array(50).fill({ when: { stream: true }, model: 'x' }), DEFAULT],
      'rules: must have at most 50 rules',
    ],
  ])('with %s are refused by field', async (_name, rules, message) => {
    expect((await failureOf(Promise.resolve().then(() => parse(rules)))).message).toStartWith(message);
  });
});
