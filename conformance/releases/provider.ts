import { type FakeUpstream, startUpstream, USAGE } from '../first-light/upstream.ts';

/** The address and the key of a channel in the fixtures. The tests stand in for the proxy on the way to it. */
export const PROVIDER = {
  baseUrl: 'http://provider.example/v1',
  key: 'upstream-key-of-the-fixture',
  model: 'fixture-model',
  /** The price of one response in USD, with the usage that the provider reports. */
  price: { input_per_1m: '10', output_per_1m: '20' },
  costUsd: (USAGE.prompt_tokens * 10 + USAGE.completion_tokens * 20) / 1_000_000,
} as const;

/** Starts the provider, and returns the variables with which a gateway reaches it. */
export function startProvider(): { readonly provider: FakeUpstream; readonly env: Record<string, string> } {
  const provider = startUpstream();
  return { provider, env: { HTTP_PROXY: `http://${provider.host}`, NO_PROXY: '127.0.0.1' } };
}
