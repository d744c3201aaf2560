import type { ProviderFormat } from '../manifest.ts';

/**
 * Anthropic Messages. The vendors' pages give its base address without the version segment, as Anthropic's SDK expects it; here
 * the segment is part of the base address, as with every other format. Servers refuse a request without a version.
 */
export const ANTHROPIC_MESSAGES: ProviderFormat = {
  format: 'anthropic-messages',
  path: '/messages',
  headers: { 'anthropic-version': '2023-06-01' },
};
