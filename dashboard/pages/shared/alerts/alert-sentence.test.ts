import { expect, test } from 'bun:test';
import { alertSentences } from '../../../text/alert-sentences.ts';
import { alertSentence, type Said } from './alert-sentence.ts';

const format = { money: (usd: string) => `$${Number(usd).toFixed(2)}`, percent: (part: number) => `${part * 100}%` };

function said(type: string, subject: [string, string], more: Partial<Said> = {}): Said {
  return {
    ...{ rule: { type }, subject: { type: subject[0], id: subject[1] }, value: 90, threshold: 80 },
    ...{ message: 'What the gateway has written.', ...more },
  };
}

const SAMPLES: readonly [Said, en: string, zh: string][] = [
  [
    said('balance_below', ['account', 'acme'], { value: '0.402165335', threshold: '1' }),
    'Account acme has a balance of $0.40 (threshold $1.00).',
    '账户 acme 的余额为 $0.40（阈值 $1.00）。',
  ],
  [
    said('budget_spent', ['account', 'acme'], { type: 'alert.repeated' }),
    'Reminder: Account acme has used 90% of its budget (threshold 80%).',
    '提醒：账户 acme 的预算已用 90%（阈值 80%）。',
  ],
  [
    said('budget_spent', ['key', 'ci']),
    'Key ci has used 90% of its budget (threshold 80%).',
    '密钥 ci 的预算已用 90%（阈值 80%）。',
  ],
  [
    said('key_limit_spent', ['key', 'ci'], { type: 'alert.raised' }),
    'Key ci has used 90% of its lifetime limit (threshold 80%).',
    '密钥 ci 的总限额已用 90%（阈值 80%）。',
  ],
  [
    said('error_rate', ['model', 'gpt-5']),
    '90% of the requests for model gpt-5 failed (threshold 80%).',
    '模型 gpt-5 有 90% 的请求失败（阈值 80%）。',
  ],
  [
    said('channel_state', ['channel', 'main'], { type: 'alert.resolved', value: 'ready', threshold: 'blocked' }),
    'Resolved: Channel main is healthy.',
    '已恢复：渠道 main 运行正常。',
  ],
  [
    said('error_rate', ['model', 'gpt-5'], { type: 'alert.resolved', value: null, threshold: null }),
    'Resolved: There is no longer any data for model gpt-5.',
    '已恢复：模型 gpt-5 已无数据。',
  ],
];

test('every kind of rule has its sentence in both languages', () => {
  for (const [sample, en, zh] of SAMPLES) {
    expect(alertSentence(sample, alertSentences.en, format)).toBe(en);
    expect(alertSentence(sample, alertSentences.zh, format)).toBe(zh);
  }
});

test('a sentence has the name of its subject instead of the id', () => {
  const one = said('budget_spent', ['key', 'ci']);
  const named = { ...one, subject: { type: 'key', id: 'ci', name: 'Build server' } };
  expect(alertSentence(named, alertSentences.en, format)).toStartWith('Key Build server has used');
});

test("an alert without a translation keeps the gateway's own sentence", () => {
  const unknown = [
    said('channel_state', ['channel', 'main'], { value: 'constructor' }),
    said('balance_below', ['toString', 'x']),
    { ...said('balance_below', ['account', 'x']), rule: null, type: 'alert.target_disabled' },
  ];
  for (const one of unknown)
    expect(alertSentence(one, alertSentences.zh, format)).toBe('What the gateway has written.');
  expect(alertSentence({ ...said('error_rate', ['key', 'k']), type: 'alert.test' }, alertSentences.en, format)).toBe(
    'This is a test alert.',
  );
});
