import { expect, test } from 'bun:test';
import { clientPath } from './client-path.ts';

const body = {
  messages: [
    { role: 'assistant', content: 'Hi', annotations: [{}], reasoning_details: [{}] },
    { role: 'user', content: [{ type: 'text', text: 'Hi', prompt_cache_breakpoint: {} }] },
  ],
  contents: [{ parts: [{ thought_signature: 'c2ln', inline_data: { display_name: 'a.png' } }] }],
  tools: [{ function: { name: 'f', strict: true, parameters: { properties: { city: {} } } } }],
  generation_config: { top_k: 1 },
  user: null,
};

test.each([
  ['tools[0].function.strict', 'tools[0].function.strict'],
  ['tools[0].strict', 'tools[0].function.strict'],
  ['tools[0].cache_control', 'tools[0]'],
  ['tools[0].parameters.properties.city', 'tools[0].function.parameters.properties.city'],
  ['messages[0].content.citations', 'messages[0].annotations'],
  ['messages[0].state', 'messages[0].reasoning_details'],
  ['messages[0].content.cache_control', 'messages[0].content'],
  ['messages[1].content[0].cache_control', 'messages[1].content[0].prompt_cache_breakpoint'],
  ['messages[1].content[0].citations', 'messages[1].content[0]'],
  ['contents[0].parts[0].state', 'contents[0].parts[0].thought_signature'],
  ['contents[0].parts[0].file_name', 'contents[0].parts[0].inline_data.display_name'],
  ['constructor', 'constructor'],
  ['tools[3].strict', 'tools'],
  ['generation_config.top_k', 'generation_config.top_k'],
  ['user', 'user'],
  ['json-schema', 'json-schema'],
])('the client knows %s as %s', (field, known) => {
  expect(clientPath(body, field)).toBe(known);
});
