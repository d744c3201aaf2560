import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

/** Singapore; keys of mainland China need `https://dashscope.aliyuncs.com/compatible-mode/v1` as the channel's base address. */
export const alibaba: ProviderManifest = {
  name: 'alibaba',
  label: 'Alibaba Cloud Model Studio',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  keyVariables: ['DASHSCOPE_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
