import { expect, test } from 'bun:test';
import { withUsageCost } from './usage-cost.ts';

const COST = '{"total_usd":"0.5","input_usd":"0.2","output_usd":"0.3"}';
const TOLD =
  '"cost":0.5,"is_byok":false,"cost_details":{"upstream_inference_cost":null,"upstream_inference_prompt_cost":0.2,"upstream_inference_completions_cost":0.3}';
const told = (text: string) => new TextDecoder().decode(withUsageCost(text, COST));

test.each([
  ['an object', '{"usage":{"x":1', '}}'],
  ['an object after blank lines that keep the connection open', '\r\n\n {"usage":{"x":1', '}}'],
  ['the last event with a usage', 'data: {"usage":null}\n\ndata: {"usage":{"x":1', '}}\n\ndata: [DONE]\n\n'],
  ['an event without a space', 'data:{"usage":{"x":1', '}}\r\n\r\ndata:[DONE]\r\n\r\n'],
  ['an event after a blank line', '\ndata: {"response":{"usage":{"x":1', '}}}\n\n'],
])('the cost is added to the usage of %s', (_, before, after) => {
  expect(told(before + after)).toBe(`${before},${TOLD}${after}`);
});

test('a text without a usage stays as it is', () => {
  for (const text of ['', '\n', '\n\n', ' ', 'data:', 'data: [DONE]\n\n', '\ndata: {"a":1}\n\n', '{"usage":null}'])
    expect(told(text)).toBe(text);
});

test.each([
  ['{"usage":{"x":1,"cost":9,"cost_details":{"a":1}},"y":2}', '{"usage":{"x":1},"y":2}'],
  ['data: {"usage":{"cost":9,"x":1}}\n\ndata: [DONE]\n\n', 'data: {"usage":{"x":1}}\n\ndata: [DONE]\n\n'],
  ['{"usage":{"x":1}}', '{"usage":{"x":1}}'],
  ['{"response":{"usage":{"is_byok":true}}}', '{"response":{"usage":{}}}'],
])('an unknown cost is not that of the upstream: %s', (text, expected) => {
  expect(new TextDecoder().decode(withUsageCost(text, null))).toBe(expected);
});
