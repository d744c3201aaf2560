import { defineText } from './text.tsx';

/** Where something needs a second factor that was used just now. */
export const secondFactorText = defineText({
  en: {
    title: 'Confirm with your second factor',
    about: 'This needs your second factor once more. Your confirmation counts for 10 minutes.',
    withPasskey: 'Use a passkey',
    passkeyFailed: 'The passkey was not used. Try again.',
    none: 'You have no second factor yet. Set one up first, then come back.',
    setUp: 'Set up a second factor',
    needed: 'Needs your second factor',
  },
  zh: {
    title: '使用第二因素确认',
    about: '此操作需要再次使用第二因素。确认在 10 分钟内有效。',
    withPasskey: '使用通行密钥',
    passkeyFailed: '未能使用通行密钥，请重试。',
    none: '您尚未设置第二因素。请先设置，然后再回来。',
    setUp: '设置第二因素',
    needed: '需要第二因素',
  },
});
