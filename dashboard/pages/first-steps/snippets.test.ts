import { expect, test } from 'bun:test';
import { CLIENTS, type Setting, snippetsFor } from './snippets.ts';

const SETTING: Setting = {
  openai: 'https://ai.example.com/gate/v1',
  anthropic: 'https://ai.example.com/gate',
  gemini: 'https://ai.example.com/gate',
  key: 'sk-0123',
  model: 'vendor/model:free',
};

test('every client gets the base URL of its format, the key and the model', () => {
  for (const client of CLIENTS) {
    const code = snippetsFor(client, SETTING).map((one) => one.code);
    const whole = code.join('\n');
    for (const said of ['https://ai.example.com/gate', 'sk-0123', 'vendor/model:free']) expect(whole).toContain(said);
    const hasVersion = whole.includes('/gate/v1');
    expect([client, hasVersion]).toEqual([client, ['codex', 'cursor', 'openai', 'curl'].includes(client)]);
  }
});
