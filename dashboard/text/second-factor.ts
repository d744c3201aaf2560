import { defineText } from './text.tsx';

/** The prompt for actions that require a recent use of the second factor. */
export const secondFactorText = defineText({
  en: {
    title: 'Two-factor authentication',
    about: 'Confirm it’s you to continue. This lasts for 10 minutes.',
    withPasskey: 'Use a passkey',
    passkeyFailed: 'Passkey verification didn’t complete. Try again.',
    none: 'You haven’t set up 2FA yet. Set it up first, then come back.',
    setUp: 'Set up 2FA',
    needed: 'Requires 2FA',
  },
  zh: {
    title: '双重验证',
    about: '请确认是您本人，确认后 10 分钟内有效。',
    withPasskey: '使用通行密钥',
    passkeyFailed: '通行密钥验证未完成，请重试。',
    none: '您尚未设置双重验证。请先设置，然后再回来。',
    setUp: '设置双重验证',
    needed: '需要双重验证',
  },
});
