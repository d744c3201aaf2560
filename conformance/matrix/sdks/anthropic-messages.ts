import Anthropic from '@anthropic-ai/sdk';
import { readAnswer } from '../../readers/index.ts';
import type { Driver, DriverCall } from './driver.ts';
import { PROMPT, TOOLS } from './prompt.ts';

export const anthropicMessages: Driver = {
  format: 'anthropic-messages',
  name: '@anthropic-ai/sdk, messages',
  async run(call) {
    const { messages } = new Anthropic({
      baseURL: call.target.origin,
      apiKey: call.target.apiKey,
      maxRetries: 0,
      logLevel: 'off',
      fetch: call.fetch,
    });
    const options = { signal: call.signal };
    const message =
      call.form === 'whole'
        ? await messages.create(request(call), options)
        : await messages.stream(request(call), options).finalMessage();
    const calls = (message.content ?? []).filter((block) => block.type === 'tool_use');
    return {
      ...readAnswer('messages', message),
      model: message.model ?? null,
      callIds: calls.map(({ id }) => id),
      totalTokens: null,
    };
  },
  ownError: (error) =>
    error instanceof Anthropic.AnthropicError
      ? { status: error instanceof Anthropic.APIError ? error.status : undefined }
      : undefined,
};

function request({ target, withTools }: DriverCall): Anthropic.MessageCreateParamsNonStreaming {
  return {
    model: target.model,
    system: PROMPT.system,
    messages: [{ role: 'user', content: PROMPT.user }],
    max_tokens: PROMPT.maxTokens,
    // Thoughts are compared, too, and are only returned on request.
    thinking: { type: 'adaptive' },
    ...(withTools && {
      tools: TOOLS.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    }),
  };
}
