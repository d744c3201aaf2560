import { defineText } from './text.tsx';

/** The sentences of alerts. */
export const alertSentences = defineText({
  en: {
    balance: (account: string, usd: string, threshold: string) =>
      `Account ${account} has a balance of ${usd} (threshold ${threshold}).`,
    accountBudget: (account: string, spent: string, threshold: string) =>
      `Account ${account} has used ${spent} of its budget (threshold ${threshold}).`,
    keyBudget: (key: string, spent: string, threshold: string) =>
      `Key ${key} has used ${spent} of its budget (threshold ${threshold}).`,
    keyLimit: (key: string, spent: string, threshold: string) =>
      `Key ${key} has used ${spent} of its lifetime limit (threshold ${threshold}).`,
    errors: (subject: string, failed: string, threshold: string) =>
      `${failed} of the requests for ${subject} failed (threshold ${threshold}).`,
    channel: {
      blocked: (id: string) => `Channel ${id} is down.`,
      resting: (id: string) => `Channel ${id} is cooling down after failures.`,
      key_blocked: (id: string) => `A key of channel ${id} is down.`,
      key_capped: (id: string) => `A key of channel ${id} has reached its spend cap.`,
      probing: (id: string) => `Channel ${id} is recovering.`,
      ready: (id: string) => `Channel ${id} is healthy.`,
    },
    gone: (subject: string) => `There is no longer any data for ${subject}.`,
    subjects: {
      account: (id: string) => `account ${id}`,
      key: (id: string) => `key ${id}`,
      model: (id: string) => `model ${id}`,
      channel: (id: string) => `channel ${id}`,
    },
    open: {
      account: 'Open account',
      budget: 'Open budgets',
      balance: 'Open billing',
      requests: 'Open failed requests',
      key: 'Open key',
      model: 'Open model',
      channel: 'Open channel',
    },
    still: (said: string) => `Reminder: ${said}`,
    resolved: (said: string) => `Resolved: ${said}`,
    test: 'This is a test alert.',
  },
  zh: {
    balance: (account, usd, threshold) => `账户 ${account} 的余额为 ${usd}（阈值 ${threshold}）。`,
    accountBudget: (account, spent, threshold) => `账户 ${account} 的预算已用 ${spent}（阈值 ${threshold}）。`,
    keyBudget: (key, spent, threshold) => `密钥 ${key} 的预算已用 ${spent}（阈值 ${threshold}）。`,
    keyLimit: (key, spent, threshold) => `密钥 ${key} 的总限额已用 ${spent}（阈值 ${threshold}）。`,
    errors: (subject, failed, threshold) => `${subject}有 ${failed} 的请求失败（阈值 ${threshold}）。`,
    channel: {
      blocked: (id) => `渠道 ${id} 不可用。`,
      resting: (id) => `渠道 ${id} 因失败正在冷却。`,
      key_blocked: (id) => `渠道 ${id} 的一个密钥不可用。`,
      key_capped: (id) => `渠道 ${id} 的一个密钥已达消费上限。`,
      probing: (id) => `渠道 ${id} 正在恢复。`,
      ready: (id) => `渠道 ${id} 运行正常。`,
    },
    gone: (subject) => `${subject}已无数据。`,
    subjects: {
      account: (id) => `账户 ${id} `,
      key: (id) => `密钥 ${id} `,
      model: (id) => `模型 ${id} `,
      channel: (id) => `渠道 ${id} `,
    },
    open: {
      account: '打开账户',
      budget: '打开预算',
      balance: '打开账单',
      requests: '打开失败的请求',
      key: '打开密钥',
      model: '打开模型',
      channel: '打开渠道',
    },
    still: (said) => `提醒：${said}`,
    resolved: (said) => `已恢复：${said}`,
    test: '这是一条测试告警。',
  },
});
