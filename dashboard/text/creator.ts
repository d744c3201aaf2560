import { defineText } from './text.tsx';

/** Who created an object. */
export const creatorText = defineText({
  en: {
    unknown: 'Unknown',
    you: 'You',
    formerUser: 'Admin or former member',
    token: (name: string) => (name === '' ? 'API token' : `Token ${name}`),
    others: {
      command_line: 'Command line',
      file: 'Config file',
      environment: 'Environment variable',
      gateway: 'System',
    } as Readonly<Record<string, string>>,
  },
  zh: {
    unknown: '未知',
    you: '您',
    formerUser: '管理员或已离开的成员',
    token: (name) => (name === '' ? 'API 令牌' : `令牌 ${name}`),
    others: { command_line: '命令行', file: '配置文件', environment: '环境变量', gateway: '系统' },
  },
});
