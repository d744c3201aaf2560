import { parseArgs } from 'node:util';

const THEMES = ['light', 'dark'] as const;
const LANGUAGES = { en: 'en-US', zh: 'zh-CN' } as const;

export type Theme = (typeof THEMES)[number];

export interface Options {
  readonly out: string;
  /** Parts of names of views; empty for all views. */
  readonly views: readonly string[];
  readonly themes: readonly Theme[];
  readonly widths: readonly number[];
  /** The browser's name of the language. */
  readonly locale: string;
  readonly language: keyof typeof LANGUAGES;
  readonly requests: number;
  readonly isList: boolean;
  readonly isHelp: boolean;
}

export const USAGE = `npm run screenshots -- [view…] [options]
  view…            only views whose names contain one of these, such as account/keys; =NAME selects exactly that view
  --out DIR        output folder; default ./screenshots
  --themes A,B     light, dark; default both
  --widths A,B     in pixels; default 360,1280
  --language L     en or zh; default en
  --requests N     number of demo requests; default 20000
  --list           print the names of the views`;

/** Throws an Error with a readable message for unknown arguments. */
export function parseOptions(argv: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      out: { type: 'string', default: 'screenshots' },
      themes: { type: 'string', default: THEMES.join() },
      widths: { type: 'string', default: '360,1280' },
      language: { type: 'string', default: 'en' },
      requests: { type: 'string', default: '20000' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { language } = values;
  if (language !== 'en' && language !== 'zh') throw new Error(`unknown language ${language}; use en or zh`);
  return {
    out: values.out,
    views: positionals,
    themes: values.themes.split(',').map((one) => {
      if (one !== 'light' && one !== 'dark') throw new Error(`unknown theme ${one}; use ${THEMES.join(' or ')}`);
      return one;
    }),
    widths: values.widths.split(',').map((one) => wholeNumber('--widths', one)),
    locale: LANGUAGES[language],
    language,
    requests: wholeNumber('--requests', values.requests),
    isList: values.list,
    isHelp: values.help,
  };
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${option} must be whole numbers above 0, not ${text}`);
  return number;
}
