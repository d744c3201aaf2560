import { expect, test } from 'bun:test';
import { usageOfResponse } from '../openai-responses/usage.ts';

const TEXT = { input_tokens: 2_941, output_tokens: 1_249 };
const image = (members: object = {}) => ({
  ...{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aW1n' },
  ...{ size: '1024x1024', quality: 'low', revised_prompt: 'A cat, drawn' },
  ...members,
});
const imageGen = (output: number) => ({
  image_gen: {
    ...{ input_tokens: 30, input_tokens_details: { image_tokens: 20, text_tokens: 10 }, total_tokens: 30 + output },
    ...{ output_tokens: output, output_tokens_details: { image_tokens: output, text_tokens: 0 } },
  },
});
const drawnOf = (response: object) => usageOfResponse({ usage: TEXT, ...response })?.drawn;
const TOOL = 'image_generation';

test("the image model's tokens are those reported, with the images shown", () => {
  expect(drawnOf({ tool_usage: imageGen(300), output: [image()] })).toEqual({
    source: 'reported',
    quantities: [
      { unit: 'input_token', amount: 10, variant: TOOL },
      { unit: 'image_input_token', amount: 20, variant: TOOL },
      { unit: 'image_output_token', amount: 300, variant: TOOL },
      { unit: 'image', amount: 1, variant: `${TOOL}/1024x1024/low` },
      { unit: 'request', amount: 1, variant: TOOL },
    ],
  });
});

test('without a report the images have the tokens of their size and quality', () => {
  const expected = {
    source: 'estimated',
    quantities: [
      { unit: 'input_token', amount: 6, variant: TOOL },
      { unit: 'image_output_token', amount: 272 + 1.5 * 1_056, variant: TOOL },
      { unit: 'image', amount: 1, variant: `${TOOL}/1024x1024/low` },
      { unit: 'image', amount: 1, variant: `${TOOL}/1536x1024/medium` },
      { unit: 'request', amount: 2, variant: TOOL },
    ],
  } as const;
  // Azure leaves the status at `generating` (recorded).
  const output = [image(), image({ status: 'generating', size: '1536x1024', quality: 'medium' })];
  expect(drawnOf({ output })).toEqual(expected as never);
  expect(drawnOf({ output, tool_usage: { image_gen: { input_tokens: 0, output_tokens: 0 } } })).toEqual(
    expected as never,
  );
});

test('an image of unknown quality counts as the most expensive', () => {
  const [tokens] =
    drawnOf({ output: [image({ size: 'auto', quality: null, revised_prompt: null })] })?.quantities ?? [];
  expect(tokens).toMatchObject({ unit: 'image_output_token', amount: 4_160 });
});

test('a failed or unfinished call, or a response without images, has drawn nothing', () => {
  expect(drawnOf({ output: [image({ status: 'failed' })] })).toBeUndefined();
  expect(drawnOf({ output: [image({ status: 'in_progress', result: null })] })).toBeUndefined();
  expect(drawnOf({ output: [{ type: 'message' }], tool_usage: imageGen(0) })?.quantities[0]).toMatchObject({
    amount: 10,
  });
  expect(drawnOf({ output: [], tool_usage: { image_gen: { input_tokens: 0, output_tokens: 0 } } })).toBeUndefined();
});
