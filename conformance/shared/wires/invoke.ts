import { anthropicWire } from './anthropic.ts';
import { frame } from './converse.ts';
import type { Wire } from './wire.ts';

/** Claude through Bedrock's InvokeModel: a stream has each of Anthropic's events in an AWS frame. */
export const invokeWire: Wire = {
  ...anthropicWire,
  stream(answer) {
    const events = new TextDecoder().decode(anthropicWire.stream(answer).body).matchAll(/^data: (.*)$/gm);
    const frames = [...events].map(([, data = '']) => frame('chunk', { bytes: Buffer.from(data).toString('base64') }));
    return { contentType: 'application/vnd.amazon.eventstream', body: Buffer.concat(frames) };
  },
};
