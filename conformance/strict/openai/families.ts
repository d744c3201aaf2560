import type { Rule, Source } from '../rule.ts';

type Family = NonNullable<Rule['family']>;

/** Fine-tuned models are named `ft:<model>:…`. */
const START = '^(?:ft:)?';

export const NOT_REASONING: Family = {
  label: 'The GPT-4 family and the chat variants',
  models: new RegExp(`${START}(?:gpt-[34]|chatgpt-|gpt-[5-9](?:\\.\\d+)?-chat)`),
};

export const REASONING: Family = {
  label: 'Models that reason',
  models: new RegExp(`${START}(?:o[1-9]|gpt-[5-9](?!(?:\\.\\d+)?-chat))`),
};

/** They do not support the effort `none`. */
export const ALWAYS_REASONING: Family = {
  label: 'The o series, GPT-5, and the pro and codex variants',
  models: new RegExp(`${START}(?:o[1-9]|gpt-5(?:-(?:mini|nano|\\d{4}.*))?$|gpt-[5-9](?:\\.\\d+)?-(?:pro|codex))`),
};

export const REASONING_WHEN_TOLD: Family = {
  label: 'GPT-5.1 to GPT-5.4, whose default effort is `none`',
  models: new RegExp(`${START}gpt-5\\.[1-4](?!\\d)(?!-(?:pro|codex|chat))`),
};

export const REASONING_BY_DEFAULT: Family = {
  label: 'GPT-5.5 and later',
  models: new RegExp(`${START}gpt-(?:5\\.[5-9]|[6-9])(?!-(?:pro|codex|chat))`),
};

export const BEFORE_GPT_5: Family = {
  label: 'Models before GPT-5',
  models: new RegExp(`${START}(?:o[1-9]|gpt-[34]|chatgpt-)`),
};

export const SEARCH: Family = { label: 'Search models', models: /^gpt-[\w.-]*search/ };

const CHECKED = '2026-11-28';

export const issue = (url: string, checked = CHECKED): Source => ({ url: `https://github.com/${url}`, checked });
export const recording = (file: string): Source => ({ url: `recordings/${file}`, checked: CHECKED });
export const DOCUMENT: Source = { url: 'specs/openai.openapi.json', checked: CHECKED };
