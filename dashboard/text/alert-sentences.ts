import { defineText } from './text.tsx';

/** What alerts say, in sentences. */
export const alertSentences = defineText({
  en: {
    balance: (account: string, usd: string, threshold: string) =>
      `The balance of the account ${account} is ${usd} (threshold ${threshold}).`,
    accountBudget: (account: string, spent: string, threshold: string) =>
      `${spent} of the budget of the account ${account} is spent (threshold ${threshold}).`,
    keyBudget: (key: string, spent: string, threshold: string) =>
      `${spent} of the budget of the key ${key} is spent (threshold ${threshold}).`,
    keyLimit: (key: string, spent: string, threshold: string) =>
      `${spent} of the limit of the key ${key} is spent (threshold ${threshold}).`,
    errors: (subject: string, failed: string, threshold: string) =>
      `${failed} of the requests of ${subject} have failed (threshold ${threshold}).`,
    channel: {
      blocked: (id: string) => `The channel ${id} is out of use.`,
      resting: (id: string) => `The channel ${id} rests after failures.`,
      probing: (id: string) => `The channel ${id} is being tried again.`,
      ready: (id: string) => `The channel ${id} is well.`,
    },
    gone: (subject: string) => `Nothing more was seen of ${subject}.`,
    subjects: {
      account: (id: string) => `the account ${id}`,
      key: (id: string) => `the key ${id}`,
      model: (id: string) => `the model ${id}`,
      channel: (id: string) => `the channel ${id}`,
    },
    still: (said: string) => `Still: ${said}`,
    resolved: (said: string) => `Resolved: ${said}`,
    test: 'This is a test. Nothing has happened.',
  },
  zh: {
    balance: (account, usd, threshold) => `账户 ${account} 的余额为 ${usd}（阈值 ${threshold}）。`,
    accountBudget: (account, spent, threshold) => `账户 ${account} 的预算已用 ${spent}（阈值 ${threshold}）。`,
    keyBudget: (key, spent, threshold) => `密钥 ${key} 的预算已用 ${spent}（阈值 ${threshold}）。`,
    keyLimit: (key, spent, threshold) => `密钥 ${key} 的限额已用 ${spent}（阈值 ${threshold}）。`,
    errors: (subject, failed, threshold) => `${subject}有 ${failed} 的请求失败（阈值 ${threshold}）。`,
    channel: {
      blocked: (id) => `渠道 ${id} 已停用。`,
      resting: (id) => `渠道 ${id} 因失败暂停中。`,
      probing: (id) => `渠道 ${id} 正在重试。`,
      ready: (id) => `渠道 ${id} 正常。`,
    },
    gone: (subject) => `${subject}已无数据。`,
    subjects: {
      account: (id) => `账户 ${id} `,
      key: (id) => `密钥 ${id} `,
      model: (id) => `模型 ${id} `,
      channel: (id) => `渠道 ${id} `,
    },
    still: (said) => `仍在持续：${said}`,
    resolved: (said) => `已恢复：${said}`,
    test: '这是一条测试，什么都没有发生。',
  },
});
